"""Draws docs/images/idea.svg, the picture of the README, from what `surefoot demo` measures: `make examples`."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from surefoot import Study
from surefoot.study.views.arm_report import ArmReport
from surefoot.work import demo

FILE = Path(__file__).with_suffix(".svg")
WIDTH, HEIGHT = 840, 440
LEFT, RIGHT, TOP, BOTTOM = 84, 820, 64, 372  # of what is between the axes
LETTER, LINE = 8.6, 20  # about how wide a letter is, and how high a line
STYLE = """
  svg { --paper: #ffffff; --ink: #24292f; --dim: #6e7781; --good: #0a69b0; --shade: #e8f2fa; --bad: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #e6edf3; --dim: #9198a1; --good: #58a6ff; --shade: #12263f; --bad: #f0883e }
  }
  text { font: 16px system-ui, sans-serif; fill: var(--ink) }
  .dim { fill: var(--dim) } .good { fill: var(--good) } .bad { fill: var(--bad) } .bold { font-weight: 600 }
  circle, .star { stroke: var(--paper); stroke-width: 2 }
  .small { font-size: 14px } .axis { stroke: var(--dim); fill: none } .limit { stroke: var(--bad); stroke-width: 2.5 }
"""
STAR = "M0-15 4.4-5 15.2-4.3 6.9 2.8 9.6 13.4 0 7.6-9.6 13.4-6.9 2.8-15.2-4.3-4.4-5z"


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Scale(NamedTuple):
    """From numbers to places: from `low` at `start` to `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def scale(values: list[float], start: float, end: float, beyond: float = 0.14) -> Scale:
    """With some room on either side of the values, and at the end so much, as a part of what they span."""
    low, high = min(values), max(values)
    span = high - low
    return Scale(low - 0.14 * span, high + beyond * span, start, end)


def label(row: ArmReport, best: ArmReport) -> tuple[str, str]:
    """What is said of an arm, and in which style."""
    assert row.mean is not None
    assert best.mean is not None
    if row is best:
        return f"{row.name}: the answer", "good bold"
    if row.verdict == "infeasible":
        return f"{row.name}: saves {'more' if row.mean > best.mean else 'less'}", "bad"
    return f"{row.name}: saves less", "dim"


def places(text: str, x: float, y: float) -> Iterator[Box]:
    """Where the label of a dot may stand, the best place first: beside it, then above or below."""
    width = LETTER * len(text)
    for left in (x + 14, x - 14 - width):
        for middle in (y, y + LINE, y - LINE, y + 1.6 * LINE, y - 1.6 * LINE):
            yield Box(left, middle - LINE / 2, left + width, middle + LINE / 2)


def free(text: str, x: float, y: float, taken: list[Box]) -> Box:
    """The first place inside the picture where a label meets nothing; or just the first."""
    inside = [box for box in places(text, x, y) if box.left > LEFT and box.right < RIGHT]
    return next((box for box in inside if not any(map(box.meets, taken))), inside[0])


def arms(study: Study, across: Scale, up: Scale, limit: float) -> Iterator[str]:
    """A mark and a label for each arm, the answer first, so that nothing covers it."""
    rows = study.table()
    best = next(row for row in rows if row.name == study.decision.arm)
    rows.sort(key=lambda row: (row is not best, -(row.mean or 0.0)))
    at = {row.name: (across(row.risk or 0.0), up(row.mean or 0.0)) for row in rows}
    taken = [Box(x - 10, y - 10, x + 10, y + 10) for x, y in at.values()]
    taken.append(Box(across(limit) - 3, TOP, across(limit) + 3, BOTTOM))
    marks = []
    for row in rows:
        (x, y), (text, style) = at[row.name], label(row, best)
        star, box = row is best, free(text, x, y, taken)
        taken.append(box)
        mark = f'<path class="star {style}" transform="translate({x:.1f} {y:.1f})" d="{STAR}"/>'
        marks.append(mark if star else f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="8"/>')
        anchor, side = ("start", box.left) if box.left > x else ("end", box.right)
        yield f'<text class="{style}" x="{side:.1f}" y="{box.bottom - 4:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    yield from reversed(marks)  # the star lies over the dots


def axes(across: Scale, up: Scale) -> Iterator[str]:
    yield f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>'
    for hundredth in range(2 * int(50 * up.low) + 2, int(100 * up.high) + 1, 2):
        y = up(hundredth / 100) + 5
        yield f'<text class="dim small" x="{LEFT - 10}" y="{y:.1f}" text-anchor="end">{hundredth} %</text>'
    for thousandth in range(int(200 * across.low) * 5 + 5, int(1000 * across.high) + 1, 5):
        x = across(thousandth / 1000)
        yield f'<text class="dim small" x="{x:.1f}" y="{BOTTOM + 20}" text-anchor="middle">{thousandth / 10:g} %</text>'
    about = "risk: how much the saving varies from file to file (standard deviation)"
    yield f'<text x="{RIGHT}" y="{BOTTOM + 48}" text-anchor="end">{about} →</text>'
    yield f'<text transform="translate(24 {BOTTOM}) rotate(-90)">saving on average →</text>'


def picture(study: Study) -> str:
    limit, rows = study.problem.risk.bound, study.table()
    across = scale([limit, *(row.risk for row in rows if row.risk is not None)], LEFT, RIGHT, beyond=0.36)
    up = scale([row.mean for row in rows if row.mean is not None], BOTTOM, TOP)
    edge = across(limit)
    drawn = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="var(--paper)"/>',
        f'<rect x="{LEFT}" y="{TOP}" width="{edge - LEFT:.1f}" height="{BOTTOM - TOP}" fill="var(--shade)"/>',
        f'<path class="limit" stroke-dasharray="9 6" d="M{edge:.1f} {TOP - 34}V{BOTTOM}"/>',
        f'<text class="good bold" x="{edge - 12:.1f}" y="{TOP - 18}" text-anchor="end">within your limit</text>',
        f'<text class="bad bold" x="{edge + 12:.1f}" y="{TOP - 18}">too risky: varies too much</text>',
        *axes(across, up),
        *arms(study, across, up, limit),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    title = f"<title>{escape(str(study.decision))}</title>"
    return "\n".join((head, title, f"<style>{STYLE}</style>", *drawn, "</svg>\n"))


if __name__ == "__main__":
    FILE.write_text(picture(demo.decide()))
