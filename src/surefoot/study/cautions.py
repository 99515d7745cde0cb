"""What speaks against an assumption of the guarantee, in sentences: for every surface that shows a decision."""

from collections.abc import Sequence
from typing import NamedTuple

from surefoot.problem import Problem
from surefoot.study.live import Live
from surefoot.study.watch import Alarm


class Caution(NamedTuple):
    """A warning; prints as its sentence."""

    kind: str  # bounds, drift, …
    arm: str | None  # None where it is not about one arm
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def cautions(problem: Problem, live: Live) -> list[Caution]:
    """All that there is to be said of a study. Another kind is another function here."""
    return alarmed(problem, live)


def alarmed(problem: Problem, live: Live) -> list[Caution]:
    """The arms whose rewards do not look as the guarantee assumes, in the problem's order."""
    alarms = sorted(live.watch.alarms.values(), key=lambda alarm: (alarm.arm, alarm.kind != "drift"))
    return [Caution(alarm.kind, problem.names[alarm.arm], sentence(problem, alarm)) for alarm in alarms]


def sentence(problem: Problem, alarm: Alarm) -> str:
    first, second = (format(problem.scale.outward(value), ".4g") for value in (alarm.first, alarm.second))
    if alarm.kind == "bounds":
        if problem.goal == "min":
            first, second = second, first
        seen = f"some of them show that its mean is at least {first}, others that it is at most {second}"
    else:
        seen = (
            f"its mean over results {span(alarm.start, alarm.length)} is {first}, "
            f"over results {span(alarm.end, alarm.length)} it is {second}"
        )
    return (
        f"The results of arm {problem.names[alarm.arm]!r} do not look like independent draws of one distribution: {seen}. "
        "The decision assumes that nothing drifts."
    )


def span(start: int, count: int) -> str:
    return f"{start + 1:,} to {start + count:,}"


def said(found: Sequence[Caution]) -> str:
    """The first of them, to stand behind a decision's sentence, and how many more there are."""
    if not found:
        return ""
    more = {1: "", 2: " There is one more warning."}.get(len(found), f" There are {len(found) - 1:,} more warnings.")
    return f" Warning: {found[0]}{more}"
