"""What a study's events add up to. The same events give the same state, bit for bit; no clock is read here."""

from contextlib import suppress
from typing import Any

from surefoot.core import verdicts
from surefoot.errors import LARGEST, BadJournal, Conflict, InvalidValue, SurefootError, number, shown
from surefoot.problem import Problem, arm_name
from surefoot.problem.models import Bounded
from surefoot.storage import Event
from surefoot.study.events import PARAMETERS, VERSION, parameters
from surefoot.study.failed import Failed
from surefoot.study.leases import Heard
from surefoot.study.live import Live
from surefoot.study.report import STATUS

# What comes of an event that is not what it should be, whatever its fields hold.
IMPOSSIBLE = (SurefootError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
CODES = {status: code for code, status in STATUS.items()}


class Fold:
    """The state after some events, the first of which is `created`."""

    def __init__(self, created: Event) -> None:
        if created.get("type") != "created":
            raise BadJournal(f"a journal must begin with an event of type 'created', got {created.get('type')!r}")
        if created.get("version") != VERSION:
            raise BadJournal(f"the version must be {VERSION}, got {created.get('version')!r}")
        self.created = created
        self.problem = Problem.loads(created["problem"])
        self.live = Live(self.problem, created["policy"], created["bounds"], created["seed"])
        self.inward = self.problem.inward
        rewards = self.problem.rewards
        self.low, self.high = (rewards.low, rewards.high) if isinstance(rewards, Bounded) else (-LARGEST, LARGEST)
        self.index = {name: index for index, name in enumerate(self.problem.names)}
        self.lease: float | None = created["lease"]
        self.asked = 0  # pulls, numbered from 1
        self.heard: dict[
            int, Heard
        ] = {}  # of each pull in the air, the one heard of last at the end, if there is a lease
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

    # --- events as they are made

    def overdue(self, now: float) -> list[int]:
        """The pulls whose lease has run out, by the steady clock."""
        if self.lease is None or self.live.finished:
            return []
        found = []
        for pull, heard in self.heard.items():
            if heard.steady + self.lease >= now:
                break
            found.append(pull)
        return found

    def counts(self, pull: int) -> bool:
        """Would a reward of this pull count?"""
        return pull in self.live.open and not self.live.finished

    def decided(self) -> dict[str, Any]:
        """What the event of the decision says."""
        return {"status": STATUS[self.live.status], "arm": self.live.best, "pulls": self.live.counted}

    def reward(self, value: Any, arm: int) -> float:
        """A reward of an arm, checked."""
        if type(value) is float and self.low <= value <= self.high:  # nearly always, and quick to see
            return value
        return self.problem.rewards.checked(f"a reward of arm {self.problem.names[arm]!r}", value)

    def outcome(self, result: Any, arm: int) -> Event:
        """What a pull of an arm came to: told as a reward, or failed where that counts as none."""
        if not isinstance(result, Failed):
            return {"type": "told", "reward": self.reward(result, arm)}
        why = result.checked()
        if self.problem.failure is None:
            return {"type": "failed", "why": why}
        return {"type": "told", "reward": self.problem.failure, "failed": why}

    def arm(self, name: Any) -> int:
        """An arm's index by its name, checked."""
        with suppress(InvalidValue):
            if (index := self.index.get(arm_name(name))) is not None:
                return index
        raise InvalidValue(f"arm must be one of {some(self.problem.names)}, got {shown(name)}")

    # --- events as they are read

    def replay(self, event: Event, position: int) -> None:
        """Take an event of a journal; refused where it cannot be."""
        try:
            self.check(event)
            self.apply(event)
        except IMPOSSIBLE as error:
            raise BadJournal(f"event {position} of the journal cannot be: {error}") from error

    def check(self, event: Event) -> None:
        match event.get("type"):
            case "asked":
                if event["pull"] != self.asked + 1:
                    raise BadJournal(f"its pulls must begin with {self.asked + 1}, got {event['pull']!r}")
                for arm in event["arms"]:
                    self.check_arm(arm)
                if not isinstance(event.get("request", ""), str):
                    raise BadJournal(f"a request must be text, got {event['request']!r}")
            case "told":
                asked = self.live.open.get(event["pull"])
                if asked:
                    self.reward(event["reward"], asked.arm)
                else:
                    self.check_done(event["pull"], event.get("late", False))
                if not isinstance(event.get("failed", ""), str):
                    raise BadJournal(f"why a pull failed must be text, got {event['failed']!r}")
            case "recorded":
                self.check_arm(event["arm"])
                self.reward(event["reward"], event["arm"])
            case "abandoned" | "expired" | "extended" | "failed":
                if event["pull"] not in self.live.open:
                    raise BadJournal(f"pull {event['pull']!r} is not in the air")
                if event["type"] == "failed" and not isinstance(event["why"], str):
                    raise BadJournal(f"why a pull failed must be text, got {event['why']!r}")
            case "decided":
                known = event["status"] in CODES and isinstance(event["arm"], int)
                if not known or not -1 <= event["arm"] < len(self.problem.arms):
                    raise BadJournal(f"there is no decision {event['status']!r} with arm {event['arm']!r}")
            case "set_aside":
                self.check_arm(event["arm"])
                if event["arm"] in self.live.aside or not isinstance(event["why"], str):
                    raise BadJournal(f"arm {event['arm']} cannot be set aside, or not again")
                if any(asked.arm == event["arm"] for asked in self.live.open.values()):
                    raise BadJournal(f"arm {event['arm']} has pulls in the air and cannot be set aside")
            case "closed":
                pass
            case unknown:
                raise BadJournal(f"there is no event of type {unknown!r} here")
        if type(event["time"]) is not float:
            number("time", event["time"])

    def check_arm(self, arm: Any) -> None:
        if not isinstance(arm, int) or not 0 <= arm < len(self.problem.arms):
            raise BadJournal(f"arm must be 0 to {len(self.problem.arms) - 1}, got {arm!r}")

    def check_done(self, pull: Any, late: bool) -> None:
        """A pull that is not in the air may be told if it expired; the event then says that the reward does not count."""
        if not isinstance(pull, int) or not 1 <= pull <= self.asked:
            raise BadJournal(f"pull must be one that was asked for, 1 to {self.asked}, got {pull!r}")
        if not late:
            raise BadJournal(f"pull {pull} was told, abandoned or expired before")

    def apply(self, event: Event) -> None:
        """Let an event take effect, as it happens and as it is read.

        An ask that happens has yet to be given its arms. Those of a journal are taken as written, as decisions are: what was
        asked for was asked for.
        """
        live = self.live
        match event["type"]:
            case "asked":
                first = event["pull"]
                event["arms"] = live.hand_out(first, event["arms"])
                count = len(event["arms"])
                self.asked += count
                if self.lease is not None:
                    self.heard.update({pull: Heard(event["time"]) for pull in range(first, first + count)})
            case "told":
                pull = event["pull"]
                self.heard.pop(pull, None)
                if self.counts(pull):
                    if "failed" in event:
                        live.note_failure(live.open[pull].arm)
                    live.tell(pull, self.inward(event["reward"]))
                else:
                    live.open.pop(pull, None)
            case "recorded":
                if not live.finished:
                    live.record(event["arm"], self.inward(event["reward"]))
            case "abandoned":
                self.heard.pop(event["pull"], None)
                if live.finished:
                    live.open.pop(event["pull"])
                else:
                    live.abandon(event["pull"])
            case "expired" | "failed":
                self.heard.pop(event["pull"], None)
                if live.finished:
                    live.open.pop(event["pull"])
                else:
                    if event["type"] == "failed":
                        live.note_failure(live.open[event["pull"]].arm)
                    live.replace(event["pull"])
            case "extended":
                self.heard.pop(event["pull"], None)
                self.heard[event["pull"]] = Heard(event["time"])
            case "set_aside":
                live.set_aside(event["arm"], event["why"])
            case "closed":
                live.finish(verdicts.UNDECIDED, -1)
            case "decided":
                live.finish(verdicts.UNDECIDED, -1)
                live.status, live.best = CODES[event["status"]], event["arm"]
                self.announced = True


def some(names: tuple[str, ...]) -> str:
    """The first few names."""
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
