"""What a study's events add up to (`reducer`), and what can be asked of it."""

from contextlib import suppress
from typing import Any

from surefoot.core import verdicts
from surefoot.errors import LARGEST, BadJournal, Conflict, InvalidValue, number, shown
from surefoot.problem import Problem, arm_name
from surefoot.problem.metrics import Values
from surefoot.problem.reward_models import Bounded
from surefoot.storage import Event
from surefoot.study.creation import PARAMETERS, parameters
from surefoot.study.engine import Engine
from surefoot.study.event_results import LONG, SHORT, values, written
from surefoot.study.failed import Failed
from surefoot.study.leases import Heard

# What the kernels' statuses are called.
STATUS = {verdicts.UNDECIDED: "undecided", verdicts.BEST: "best", verdicts.NO_ARM: "infeasible"}


class StudyState:
    """The state after some events, the first of which is `created`."""

    def __init__(self, created: Event) -> None:
        if created.get("type") != "created":
            raise BadJournal(f"a journal must begin with an event of type 'created', got {created.get('type')!r}")
        if created.get("version") not in (SHORT, LONG):
            raise BadJournal(f"the version must be {SHORT} or {LONG}, got {created.get('version')!r}")
        self.created, self.version = created, created["version"]
        self.problem = Problem.loads(created["problem"])
        self.engine = Engine(self.problem, created["policy"], created["bounds"], created["seed"])
        self.inward = self.problem.inward
        rewards = self.problem.rewards
        self.low, self.high = (rewards.low, rewards.high) if isinstance(rewards, Bounded) else (-LARGEST, LARGEST)
        self.index = {name: index for index, name in enumerate(self.problem.names)}
        self.clipping = [(index, metric) for index, metric in enumerate(self.problem.metrics) if metric.clip]
        self.lease: float | None = created["lease"]
        self.asked = 0  # pulls, numbered from 1
        self.heard: dict[
            int, Heard
        ] = {}  # of each pull in flight, the one heard of last at the end, if there is a lease
        number("time", created["time"])
        self.announced = False  # has the journal the decision?

    def check_same(self, name: str, wanted: Event) -> None:
        """Is this the study that was meant?"""
        if all(self.created[field] == wanted[field] for field in PARAMETERS):  # the text of many arms is long to parse
            return
        has, wants = parameters(self.created), parameters(wanted)
        for field in has | wants:
            is_now, is_wanted = has.get(field), wants.get(field)
            if is_now != is_wanted:
                raise Conflict(f"there is a study {name!r} already, whose {field} is {is_now!r}, not {is_wanted!r}")

    def overdue(self, now: float) -> list[int]:
        """The pulls whose lease has run out, by the steady clock."""
        if self.lease is None or self.engine.finished:
            return []
        found = []
        for pull, heard in self.heard.items():
            if heard.steady + self.lease >= now:
                break
            found.append(pull)
        return found

    def counts(self, pull: int) -> bool:
        """Would a reward of this pull count?"""
        return pull in self.engine.in_flight and not self.engine.finished

    def decided(self) -> dict[str, Any]:
        """What the event of the decision says."""
        return {"status": STATUS[self.engine.status], "arm": self.engine.best, "pulls": self.engine.counted}

    def checked(self, result: Any, arm: int) -> Values:
        """A result of an arm, a number for each metric."""
        if type(result) is float and self.version == SHORT and self.low <= result <= self.high:
            return (result,)  # nearly always, and quick to see
        return self.problem.values(f"a result of arm {self.problem.names[arm]!r}", result)

    def check_values(self, event: Event, arm: int) -> None:
        """Can an event of a journal have this result?"""
        self.checked(self.problem.result(values(event)), arm)

    def note_clipped(self, arm: int, values: Values) -> None:
        """Count the values that are beyond the range of their metric, and count as its end."""
        for index, metric in self.clipping:
            if metric.clipped(values[index]) != values[index]:
                self.engine.note_clipped(arm, metric.name)

    def outcome(self, result: Any, arm: int, pull: int, time: float) -> Event:
        """What a pull of an arm came to: told as a result, or failed where that counts as none."""
        if type(result) is float and self.version == SHORT and self.low <= result <= self.high:
            return {"type": "told", "time": time, "pull": pull, "reward": result}  # nearly always, and quick to see
        if not isinstance(result, Failed):
            return {"type": "told", "time": time, "pull": pull, **written(self.checked(result, arm), self.version)}
        why = result.checked()
        if self.problem.failures is None:
            return {"type": "failed", "time": time, "pull": pull, "why": why}
        failures = written(self.problem.failures, self.version)
        return {"type": "told", "time": time, "pull": pull, **failures, "failed": why}

    def arm(self, name: Any) -> int:
        """An arm's index by its name, checked."""
        with suppress(InvalidValue):
            if (index := self.index.get(arm_name(name))) is not None:
                return index
        raise InvalidValue(f"arm must be one of {some(self.problem.names)}, got {shown(name)}")


def some(names: tuple[str, ...]) -> str:
    """The first few names."""
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
