"""Draws docs/images/architecture.svg from the layers that import-linter checks and what each says of itself: `make docs`."""

import ast
import textwrap
import tomllib
from html import escape
from pathlib import Path

from surefoot.core.program import Program

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "surefoot"
WIDTH, MARGIN, GAP, LINE = 960, 20, 10, 17
BESIDE = "Beside the package, not installed: verification · tests · benchmarks · examples"


def layers() -> list[list[str]]:
    """From the top, those of one row beside each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (rows,) = [contract["layers"] for contract in contracts if contract["name"] == "Layers"]
    return [row.replace(" ", "").split("|") for row in rows]


def words(layer: str) -> str:
    """The first sentence of what a layer says of itself."""
    folder = PACKAGE / layer / "__init__.py"
    text = ast.get_docstring(ast.parse((folder if folder.exists() else PACKAGE / f"{layer}.py").read_text())) or ""
    return " ".join(text.split()).replace("`", "").split(". ")[0].rstrip(".")


def box(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" class="{style}"/>'


def text(x: float, y: float, line: str, style: str = "words") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(line)}</text>'


def row_of_layers(names: list[str], y: float) -> tuple[list[str], float]:
    """What is drawn, and where it ends."""
    width = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
    told = [textwrap.wrap(words(name), int(width / 7.2)) for name in names]
    parts = (
        [part.replace("_", " ") for part in Program._fields if part not in ("shows", "items", "finite")]
        if "core" in names
        else []
    )
    height = 30 + LINE * max(map(len, told)) + (LINE + 22 if parts else 0)
    drawn = []
    for index, (name, lines) in enumerate(zip(names, told, strict=True)):
        x = MARGIN + index * (width + GAP)
        drawn += [box(x, y, width, height, "layer"), text(x + 10, y + 20, name, "name")]
        drawn += [text(x + 10, y + 38 + LINE * number, line) for number, line in enumerate(lines)]
        if name == "core":
            each = (width - 20 - GAP * (len(parts) - 1)) / len(parts)
            for number, part in enumerate(parts):
                left, top = x + 10 + number * (each + GAP), y + height - LINE - 20
                drawn += [box(left, top, each, LINE + 10, "part"), text(left + 10, top + 18, part)]
    return drawn, y + height + GAP


def picture() -> str:
    drawn, y = [box(MARGIN, MARGIN, WIDTH - 2 * MARGIN, 34, "beside")], float(MARGIN)
    drawn.append(text(MARGIN + 10, y + 22, BESIDE))
    y += 34 + GAP
    for names in layers():
        more, y = row_of_layers(names, y)
        drawn += more
    drawn.append(text(MARGIN + 10, y + 12, "Imports point down only, and never sideways."))
    y += MARGIN + GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:g}" font-family="sans-serif" font-size="13">\n'
        "<style>.name{font-weight:bold} .layer{fill:#e8eef7;stroke:#4a6fa5} .part{fill:#fff;stroke:#4a6fa5} "
        ".beside{fill:none;stroke:#777;stroke-dasharray:5 4}</style>\n"
        f'<rect width="{WIDTH}" height="{y:g}" fill="#fff"/>\n'
    )
    return head + "\n".join(drawn) + "\n</svg>\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), encoding="utf-8")
