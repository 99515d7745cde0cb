"""What people see of a study: the same bounds and the same evidence that decide."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from surefoot.core import verdicts
from surefoot.problem import Problem
from surefoot.rewards.models import Bounded
from surefoot.risk import NoRisk
from surefoot.study.live import Live

STATUS = {verdicts.UNDECIDED: "undecided", verdicts.BEST: "best", verdicts.NO_ARM: "infeasible"}
VERDICT = {verdicts.OPEN: "open", verdicts.FEASIBLE: "feasible", verdicts.INFEASIBLE: "infeasible"}


@dataclass(frozen=True, slots=True)
class ArmReport:
    """One arm, on the reward's own scale. The interval of the risk is for information; the tests decide."""

    name: str
    pulls: int
    mean: float | None
    mean_lower: float
    mean_upper: float
    risk: float | None
    risk_lower: float | None
    risk_upper: float | None
    verdict: str  # feasible, infeasible or open
    evidence: float  # of what the verdict needs, the larger share of the two tests, 0 to 1
    words: str


class Table(list[ArmReport]):
    """One row per arm; prints as a table."""

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame([asdict(row) for row in self])

    def __str__(self) -> str:
        heads = ("arm", "pulls", "mean", "between", "risk", "between", "")
        rows = [
            (
                row.name,
                f"{row.pulls:,}",
                show(row.mean),
                f"{show(row.mean_lower)} … {show(row.mean_upper)}",
                show(row.risk),
                "" if row.risk_lower is None else f"{show(row.risk_lower)} … {show(row.risk_upper)}",
                row.words,
            )
            for row in self
        ]
        widths = [max(len(line[column]) for line in [heads, *rows]) for column in range(len(heads) - 1)]
        return "\n".join(
            "  ".join([cell.ljust(width) for cell, width in zip(line, widths, strict=False)] + [line[-1]]).rstrip()
            for line in [heads, *rows]
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """`best` with an arm, `infeasible` when no arm qualifies, or `undecided`; prints as a sentence."""

    status: str
    arm: str | None
    pulls: int
    confidence: float
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.sentence)}</p>"


def show(value: float | None) -> str:
    """A number as people read it."""
    return "" if value is None else f"{value:.4g}"


def table(problem: Problem, live: Live) -> Table:
    """One row per arm, in the problem's order."""
    incumbent = live.best if live.best >= 0 else int(live.kernels.standings.rank(live.state).incumbent)
    floor = live.state.arms[incumbent].lower if incumbent >= 0 else None
    clock = live.clock()
    rows = [arm_report(problem, live, index, clock) for index in range(len(problem.arms))]
    return Table(
        ArmReport(**asdict(row) | {"words": words(problem, live, row, index, incumbent, floor)})
        for index, row in enumerate(rows)
    )


def arm_report(problem: Problem, live: Live, index: int, clock: tuple[float, ...]) -> ArmReport:
    arm, state, test = live.state.arms[index], live.state, live.program.risk_test
    scale, width = problem.scale, abs(problem.scale.width)
    lower, upper = sorted((scale.outward(arm.lower), scale.outward(arm.upper)))
    if isinstance(problem.rewards, Bounded):
        lower, upper = max(lower, problem.rewards.low), min(upper, problem.rewards.high)
    risks: tuple[float | None, ...] = (None, None, None)
    if not isinstance(problem.risk, NoRisk):
        low, high = test.risk_interval(arm, state.risk_parameters, problem.question, arm.lower, arm.upper, *clock)
        if arm.verdict == verdicts.FEASIBLE:
            high = min(high, problem.question.limit + problem.question.slack)
        if arm.verdict == verdicts.INFEASIBLE:
            low = max(low, problem.question.limit)
        seen = test.estimate(arm) if arm.pulls > 1.0 else None
        risks = tuple(
            None if value is None else problem.risk.off_unit_scale(value, width)
            for value in (seen, low, max(low, high))
        )
    shares = test.shares(arm, state.risk_parameters, arm.lower, arm.upper, *clock) if arm.pulls else (0.0, 0.0)
    return ArmReport(
        name=problem.names[index],
        pulls=int(arm.pulls),
        mean=scale.outward(arm.mean) if arm.pulls else None,
        mean_lower=lower,
        mean_upper=upper,
        risk=risks[0],
        risk_lower=risks[1],
        risk_upper=risks[2],
        verdict=VERDICT[int(arm.verdict)],
        evidence=1.0 if arm.verdict != verdicts.OPEN else max(shares),
        words="",
    )


def words(problem: Problem, live: Live, row: ArmReport, index: int, incumbent: int, floor: float | None) -> str:
    """The verdict on an arm, as a person would say it."""
    risk = problem.risk
    limit = show(risk.at_most)
    if row.verdict == "infeasible":
        return f"{risk.name} above {limit}"
    if index == live.best:
        return "the best"
    decided = live.best >= 0  # and so, with a tolerance, are arms whose interval overlaps the best one's
    if floor is not None and index != incumbent and (decided or live.state.arms[index].upper < floor):
        bound, better = problem.scale.outward(live.state.arms[index].upper), problem.scale.outward(floor)
        if problem.goal == "max":
            return f"mean at most {show(bound)}, the best has at least {show(better)}"
        return f"mean at least {show(bound)}, the best has at most {show(better)}"
    if not row.pulls:
        return "not yet tried"
    if row.verdict == "feasible":
        return "may be the best" if isinstance(risk, NoRisk) else f"{risk.name} within {limit}, may be the best"
    arm = live.state.arms[index]
    feasible, infeasible = live.program.risk_test.shares(
        arm, live.state.risk_parameters, arm.lower, arm.upper, *live.clock()
    )
    if max(feasible, infeasible) == 0.0:
        return f"no evidence yet on its {risk.name}"
    side = "within" if feasible >= infeasible else "above"
    return f"{max(feasible, infeasible):.0%} of the evidence that its {risk.name} is {side} {limit}"


def decision(problem: Problem, live: Live) -> Decision:
    """The decision, or how things stand, as a sentence with its numbers and its guarantee."""
    status = STATUS[live.status]
    pulls = live.counted
    name = problem.names[live.best] if live.best >= 0 else None
    guarantee = f"{pulls:,} pulls; wrong with probability at most {problem.delta:g}."
    if status == "best":
        sentence = f"{best_sentence(problem, live)} {guarantee}"
    elif status == "infeasible":
        sentence = (
            f"No arm qualifies: the {problem.risk.name} of each is above {show(problem.risk.at_most)}. {guarantee}"
        )
    else:
        rows = table(problem, live)
        left = [row.name for row in rows if not ruled_out(row)]
        sentence = f"Undecided after {pulls:,} pulls: {listing(left)} may still be the best arm within the limit."
    return Decision(status, name, pulls, 1.0 - problem.delta, sentence)


def ruled_out(row: ArmReport) -> bool:
    return row.verdict == "infeasible" or row.words.startswith("mean at")


def best_sentence(problem: Problem, live: Live) -> str:
    """That an arm is the best, and what shows it."""
    best = arm_report(problem, live, live.best, live.clock())
    least, most = ("at least", "at most") if problem.goal == "max" else ("at most", "at least")
    edge = best.mean_lower if problem.goal == "max" else best.mean_upper
    tolerance = f" up to the tolerance of {problem.tolerance:g}" if problem.tolerance else ""
    parts = [f"{best.name} is best{tolerance}: its mean is {show(best.mean)} ({least} {show(edge)})"]
    if not isinstance(problem.risk, NoRisk):
        parts.append(
            f"its {problem.risk.name} {show(best.risk)} is within {show(problem.risk.at_most + problem.risk_slack)}"
        )
    rivals = [
        index for index, arm in enumerate(live.state.arms) if index != live.best and arm.verdict != verdicts.INFEASIBLE
    ]
    if rivals:
        closest = max(rivals, key=lambda index: live.state.arms[index].upper)
        bound = problem.scale.outward(live.state.arms[closest].upper)
        parts.append(f"every other arm within the limit has a mean of {most} {show(bound)} ({problem.names[closest]})")
    elif len(problem.arms) > 1:
        parts.append("every other arm is above the limit")
    return f"{', '.join(parts)}."


def listing(names: Sequence[str]) -> str:
    """The names, or as many of them as fit into a sentence."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} other arms"
    return " or ".join(names) if names else "no arm"
