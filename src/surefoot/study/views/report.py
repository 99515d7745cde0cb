"""What people see of a study: the same bounds and the same evidence that decide."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import InitVar, asdict, dataclass
from heapq import nsmallest
from typing import Any

from surefoot import display
from surefoot.core import verdicts
from surefoot.errors import Unsupported
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.views import numbers
from surefoot.study.views.asides import (
    MOVED,
    beyond,
    counted,
    said_excluded,
    said_failed,
    said_failures,
    said_moved,
    within,
)
from surefoot.study.views.notices import Notice, said
from surefoot.study.views.numbers import apart, form_apart, form_of, show

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
    verdict: str  # feasible, infeasible or open; or excluded
    evidence: float  # of what the verdict needs, the larger share of the two tests, 0 to 1
    ruled_out: bool  # infeasible, or surely no better than the best arm known feasible
    words: str
    failures: int = 0  # pulls that failed

    def cells(self, means: str, limit: float) -> tuple[str, ...]:
        """The row as text: name, pulls, mean, between, risk, between, words. The risk can be told from its limit."""
        form = (
            ".4g" if self.risk is None else form_apart(self.risk, limit, ".4g")
        )  # one, or the text may leave its interval
        risk, means = show(self.risk, form), form_of(self.mean, means)
        risks = "" if self.risk_lower is None else f"{show(self.risk_lower, form)} … {show(self.risk_upper, form)}"
        between = f"{show(self.mean_lower, means)} … {show(self.mean_upper, means)}"
        return (self.name, f"{self.pulls:,}", show(self.mean, means), between, risk, risks, self.words)

    @property
    def brief(self) -> str:
        """The verdict where there is no room for a sentence."""
        beaten = self.ruled_out and self.verdict in ("open", "feasible")
        brief = "the best" if self.words.startswith("the best") else "beaten" if beaten else self.verdict
        brief += "; its results have moved" if MOVED in self.words else ""
        return f"{brief}; {self.failures:,} failed" if self.failures else brief


SHORT = len("variance")  # the longest name of a risk that can stand over a column of numbers


class Table(list[ArmReport]):
    """One row per arm; prints as a table."""

    def __init__(self, problem: Problem, rows: Sequence[ArmReport]) -> None:
        super().__init__(rows)
        self.risk = problem.risk.name
        self.risky = bool(problem.limits)
        self.heads: tuple[str, ...] = ("arm", "pulls", "mean", "between", self.risk, "between", "")
        if not self.risky:
            self.heads = riskless(self.heads)
        self.means, self.limit = digits(problem), problem.risk.bound

    @property
    def short_heads(self) -> tuple[str, ...]:
        """For where the name of the risk has no room."""
        return tuple("risk" if head == self.risk and len(head) > SHORT else head for head in self.heads)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("a DataFrame needs pandas: pip install pandas") from error
        return pandas.DataFrame([asdict(row) for row in self])

    def cells(self) -> list[tuple[str, ...]]:
        cells = [row.cells(self.means, self.limit) for row in self]
        return cells if self.risky else [riskless(line) for line in cells]

    def shown_cells(self) -> list[tuple[str, ...]]:
        """Without the errors of arms that were excluded, which would leave the others no room."""
        cells = zip(self, self.cells(), strict=True)
        return [(*line[:-1], row.brief) if row.verdict == "excluded" else line for row, line in cells]

    def __str__(self) -> str:
        return "\n".join(display.columns([self.heads, *self.cells()]))

    def _repr_html_(self) -> str:
        from surefoot.study.views.html import table

        return table(self)

    def fitted(self, width: int) -> str:
        """With all there is to say, or with as much of it as fits into so many columns; not why arms were excluded."""
        full, heads = self.shown_cells(), self.short_heads
        lead = f" of the way to showing that its {self.risk} is "
        short = [(*cells[:-1], cells[-1].replace(lead, " shown: ").replace(self.risk, "risk")) for cells in full]
        brief = [(*cells[:-1], row.brief) for cells, row in zip(full, self, strict=True)]
        for lines in ([self.heads, *full], [heads, *short], narrow([heads, *short]), narrow([heads, *brief])):
            text = display.columns(lines)
            if max(map(len, text)) <= width:
                break
        return "\n".join(text)


def riskless(line: tuple[str, ...]) -> tuple[str, ...]:
    """Without the risk and its interval."""
    return (*line[:4], *line[6:])


def narrow(lines: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without the interval of the risk: its end that matters is in the words."""
    return [(*line[:5], *line[6:]) for line in lines]


@dataclass(frozen=True)
class Decision:
    """`best` with an arm, `infeasible` when no arm qualifies, or `undecided`; prints as a sentence."""

    status: str
    arm: str | None
    pulls: int
    confidence: float | None  # of the decision; None while it is undecided
    sentence: str
    recommended: tuple[str, ...] | None = None  # where one arm is left and nothing was compared with it
    shown: InitVar[Callable[["Decision"], str] | None] = None  # how a notebook shows it, with what it rests on

    def __post_init__(self, shown: "Callable[[Decision], str] | None") -> None:
        object.__setattr__(self, "_shown", shown)

    def __reduce__(self) -> tuple[type["Decision"], tuple[object, ...]]:
        plain = self.status, self.arm, self.pulls, self.confidence, self.sentence, self.recommended
        return Decision, plain  # without how it is shown, which does not travel

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        from html import escape

        shown: Callable[[Decision], str] | None = getattr(self, "_shown", None)
        return shown(self) if shown else f"<p>{escape(self.sentence)}</p>"


def digits(problem: Problem) -> str:
    """How to write means: to a ten-thousandth of the range of rewards, or of what stands for it."""
    width = math.sqrt(4.0 * problem.rewards.largest_variance)
    return ".4g" if math.isinf(width) else f".{min(max(4 - math.floor(math.log10(width)), 0), 15)}f"


def table(problem: Problem, engine: Engine, indices: Iterable[int] | None = None) -> Table:
    """One row per arm, in the problem's order; or for some arms, in theirs."""
    incumbent, clock = incumbent_of(engine), engine.clock()
    indices = range(len(problem.arms)) if indices is None else indices
    return Table(problem, [arm_report(problem, engine, index, incumbent, clock) for index in indices])


def foremost(engine: Engine, playing: list[int], count: int) -> list[int]:
    """The arms that matter most, in the problem's order: those in play first, then those pulled most."""
    matters, arms = set(playing), engine.state.arms
    order = nsmallest(count, range(len(arms)), key=lambda index: (index not in matters, -arms[index].metric.pulls))
    return sorted(order)


def incumbent_of(engine: Engine) -> int:
    """The best arm known feasible, -1 if there is none."""
    return engine.best if engine.best >= 0 else int(engine.kernels.ranker.rank(engine.state).incumbent)


def contest(engine: Engine) -> tuple[int, int]:
    """The leader and its challenger, -1 where there is none."""
    ranking = engine.kernels.ranker.rank(engine.state)
    challenger = ranking.optimist
    if challenger == ranking.leader and challenger >= 0:
        challenger = engine.kernels.ranker.runner_up(engine.state, challenger)
    return int(ranking.leader), int(challenger)


def is_beaten(engine: Engine, index: int, incumbent: int) -> bool:
    """Is an arm surely no better than the incumbent, or than another arm known feasible?"""
    arm = engine.state.arms[index]
    if incumbent < 0 or index == incumbent:
        return False
    return engine.best >= 0 or bool(arm.beaten_by or arm.goal.upper < engine.state.arms[incumbent].goal.lower)


def overtakes(engine: Engine, index: int, winner: int) -> bool:
    """Are an arm's results better by now than those of the arm that it was found to be no better than?"""
    arms = engine.state.arms
    return bool(arms[index].metric.mean > arms[winner].metric.mean + engine.state.tolerance)


def in_play(engine: Engine) -> list[int]:
    """The arms that are not ruled out."""
    incumbent, arms = incumbent_of(engine), enumerate(engine.state.arms)
    return [
        index for index, arm in arms if arm.verdict != verdicts.INFEASIBLE and not is_beaten(engine, index, incumbent)
    ]


def arm_report(problem: Problem, engine: Engine, index: int, incumbent: int, clock: float) -> ArmReport:
    arm, state, test = engine.state.arms[index], engine.state, engine.program.limit_test
    own, metric, goal, parameters = arm.limit, arm.metric, arm.goal, state.limit_parameters
    mean, risk = numbers.mean(problem, arm), numbers.arm_risk(problem, engine, index)
    ends = (risk.lower, risk.value, risk.upper) if risk else (math.nan,) * 3
    risk_lower, risk_value, risk_upper = (number if math.isfinite(number) else None for number in ends)
    shares = test.shares(own, metric, goal, parameters, clock) if metric.pulls else (0.0, 0.0)
    beaten = is_beaten(engine, index, incumbent)
    aside = index in engine.aside
    return ArmReport(
        name=problem.names[index],
        pulls=int(metric.pulls),
        mean=mean.value if metric.pulls else None,
        mean_lower=mean.lower,
        mean_upper=mean.upper,
        risk=risk_value,
        risk_lower=risk_lower,
        risk_upper=risk_upper,
        verdict="excluded" if aside else VERDICT[int(arm.verdict)],
        evidence=1.0 if arm.verdict != verdicts.OPEN and not aside else max(shares),
        ruled_out=beaten or arm.verdict == verdicts.INFEASIBLE,
        words=words(problem, engine, index, incumbent, beaten, shares)
        + ("" if aside else said_moved(problem, mean, risk, digits(problem)))
        + said_failed(problem, engine, index),
        failures=engine.failures.get(index, 0),
    )


def words(
    problem: Problem, engine: Engine, index: int, incumbent: int, beaten: bool, shares: tuple[float, float]
) -> str:
    """The verdict on an arm, as a person would say it."""
    arm, risk = engine.state.arms[index], problem.risk
    if index in engine.aside:
        return f"excluded: {engine.aside[index]}"
    if arm.verdict == verdicts.INFEASIBLE:
        return f"{risk.name} {beyond(problem)}"
    contradiction = "its bounds contradict each other" if arm.goal.lower > arm.goal.upper else ""
    if index == engine.best:
        return "the best" + up_to_tolerance(problem) + (f", but {contradiction}" if contradiction else "")
    if contradiction:
        return contradiction
    if arm.beaten_by:
        winner = problem.names[arm.beaten_by - 1]
        moved = (
            f"{MOVED}its results are better than those of {winner}"
            if overtakes(engine, index, arm.beaten_by - 1)
            else ""
        )
        return f"surely {worse(problem)} on average than {winner}{moved}"
    if beaten:
        bounds = (arm.goal.upper, engine.state.arms[incumbent].goal.lower)
        mine, best = apart(problem.scale.outward(bounds[0]), problem.scale.outward(bounds[1]), digits(problem))
        least, most = at_least_at_most(problem)
        return f"mean {most} {mine}, the best has {least} {best}{up_to_tolerance(problem, ': no better')}"
    if not arm.metric.pulls:
        return "not yet tried"
    if arm.verdict == verdicts.FEASIBLE:
        return f"{risk.name} {within(problem)}, may be the best" if problem.limits else "may be the best"
    if max(shares) == 0.0:
        return f"its {risk.name} is still open"
    side = within(problem) if shares[0] >= shares[1] else beyond(problem)
    return f"{max(shares):.0%} of the way to showing that its {risk.name} is {side}"


def worse(problem: Problem) -> str:
    return "less" if problem.goal == "max" else "more"


def at_least_at_most(problem: Problem) -> tuple[str, str]:
    return ("at least", "at most") if problem.goal == "max" else ("at most", "at least")


def up_to_tolerance(problem: Problem, lead: str = "") -> str:
    return f"{lead} up to the tolerance of {problem.tolerance:g}" if problem.tolerance else ""


def decision(
    problem: Problem, engine: Engine, warnings: Sequence[Notice], shown: Callable[[Decision], str] | None = None
) -> Decision:
    """The decision, or how things stand, as a sentence with its numbers, its guarantee, and what speaks against that."""
    status, pulls = STATUS[engine.status], counted(engine.counted)
    name = problem.names[engine.best] if engine.best >= 0 else None
    delta, recommended = wrong_at_most(problem, engine), None
    aside = said_excluded(problem, engine) + said_failures(problem, engine)
    guaranteed = f"wrong with probability at most {delta:g}"
    if delta == 1.0:
        guaranteed = "nothing is guaranteed, because too many arms were excluded after they gave results"
    guarantee = f"{pulls}; {guaranteed}.{aside}"
    if status == "best":
        sentence = f"{best_sentence(problem, engine)} {guarantee}"
    elif status == "infeasible":
        left = " that is left" if engine.aside else ""
        sentence = f"No arm{left} qualifies: the {problem.risk.name} of each is {beyond(problem)}. {guarantee}"
    elif engine.finished and engine.alone() and (playing := in_play(engine)):
        recommended = (problem.names[playing[0]],)
        qualified = f", and its {problem.risk.name} is {within(problem)}, but" if problem.limits else ", but"
        if engine.state.arms[playing[0]].verdict == verdicts.OPEN:
            qualified = f", whether its {problem.risk.name} is {within(problem)} is still open, and"
        sentence = (
            f"Undecided after {pulls}: {recommended[0]} is the only arm that could be measured{qualified} "
            f"nothing was compared with it.{aside}"
        )
    else:
        names = [problem.names[index] for index in in_play(engine)]
        qualified = " within the limit" if problem.limits else ""
        could = "could each" if len(names) > 1 else "could"
        who = f"{listing(names)} {could} still be the best arm{qualified}" if names else "every arm was excluded"
        sentence = f"Undecided after {pulls}: {who}.{aside}"
        if waiting := sum(reward is not None for line in engine.queues.values() for reward in line.values()):
            results = "1 more result is" if waiting == 1 else f"{waiting:,} more results are"
            sentence += f" {results} waiting for earlier pulls to finish."
    confidence = None if status == "undecided" else 1.0 - delta
    return Decision(status, name, engine.counted, confidence, sentence + said(warnings), recommended, shown)


def wrong_at_most(problem: Problem, engine: Engine) -> float:
    """Delta; and, for each arm set aside after it gave rewards, half as much again, or as much again where arms are
    compared in pairs (docs/bounds.md and docs/tight.md say why); a probability, and so never above 1.
    """
    tried = [index for index in engine.aside if engine.state.arms[index].metric.pulls]
    pairs = engine.program.mean_bound.PAIRS
    return min(problem.delta * (1.0 + len(tried) * (1.0 if pairs else 0.5)), 1.0)


def best_sentence(problem: Problem, engine: Engine) -> str:
    """That an arm is the best, and what shows it."""
    best, arm = arm_report(problem, engine, engine.best, engine.best, engine.clock()), engine.state.arms[engine.best]
    means, risky = form_of(best.mean, digits(problem)), bool(problem.limits)
    least, most = at_least_at_most(problem)
    edge = best.mean_lower if problem.goal == "max" else best.mean_upper
    shown, others = show(edge, means), ""
    rivals = enumerate(engine.state.arms)
    left = [index for index, arm in rivals if index != engine.best and arm.verdict != verdicts.INFEASIBLE]
    that = " that may be within the limit" if risky else ""
    if any(engine.state.arms[index].beaten_by for index in left):
        closest = max(left, key=lambda index: engine.state.arms[index].metric.mean)
        mean = show(numbers.mean(problem, engine.state.arms[closest]).value, means)
        others = f", every other arm{that} surely has {worse(problem)} on average "
        if overtakes(engine, closest, engine.best):
            others += f"by its earlier results{MOVED}the mean of {problem.names[closest]} is {mean}"
        else:
            others += f"(the nearest, {problem.names[closest]}, has {mean})"
    elif left:
        closest = max(left, key=lambda index: engine.state.arms[index].goal.upper)
        shown, bound = apart(edge, problem.scale.outward(engine.state.arms[closest].goal.upper), means)
        others = f", every other arm{that} has a mean of {most} {bound} ({problem.names[closest]})"
    elif len(problem.arms) > 1 + len(engine.aside):
        others = f", every other arm{' that is left' if engine.aside else ''} is beyond the limit"
    risk = f", its {problem.risk.name} {show(best.risk)} is {within(problem)}" if risky else ""
    held = f"({least} {shown})" if arm.goal.lower <= arm.goal.upper else "and its bounds contradict each other"
    mean = f"its mean is {show(best.mean, means)} {held}"
    moved = said_moved(problem, numbers.mean(problem, arm), numbers.arm_risk(problem, engine, engine.best), means)
    return f"{best.name} is best{up_to_tolerance(problem)}: {mean}{risk}{moved}{others}."


def listing(names: Sequence[str]) -> str:
    """The names, or as many of them as fit into a sentence."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5:,} other arms"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
