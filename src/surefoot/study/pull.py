"""A pull as a worker names it, and what the journal knows of it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from surefoot.errors import BadJournal, Conflict, InvalidValue, own_number
from surefoot.problem.items import Items
from surefoot.storage import Event, Turn
from surefoot.study.event_results import as_told
from surefoot.study.study_state import StudyState


class Pull(NamedTuple):
    """One trial of one arm. Its result is told with this object or with its number `id`."""

    id: int
    arm: str
    item: str | int | None = None  # what to try the arm on, where all arms are tried on the same items

    def plain(self) -> dict[str, Any]:
        """As JSON has it: with an item if there is one."""
        number, arm, item = self
        return {"id": number, "arm": arm} if item is None else {"id": number, "arm": arm, "item": item}


def named(items: Items | None, number: int | None) -> str | int | None:
    """An item as whoever makes the pull sees it."""
    return None if items is None or number is None else items.name(number)


def pulls_of(event: Event, names: Sequence[str], items: Items | None) -> list[Pull]:
    """The pulls that an event handed out."""
    first, arms = event["pull"], event["arms"]
    if items is None:
        return [Pull(pull, names[arm]) for pull, arm in enumerate(arms, first)]
    rows = zip(arms, event.get("items", ()), strict=True)
    return [Pull(pull, names[arm], items.name(item)) for pull, (arm, item) in enumerate(rows, first)]


def known(pull: Pull | int, turn: Turn, state: StudyState) -> tuple[int, int, list[Event]]:
    """A pull's number, its arm, and what became of it."""
    if type(pull) is int and (asked := state.engine.in_flight.get(pull)):
        return pull, asked.arm, []  # nearly always, and quick to see
    identity = number_of(pull, state)
    asked = state.engine.in_flight.get(identity)
    endings: list[Event] = []
    if asked is None:
        found = turn.of_pull(identity)
        event, endings = asked_in(found, identity), found[1:]
        if not endings:
            raise BadJournal(f"pull {identity} is not in flight, but the journal has no event that ended it")
    arm = asked.arm if asked else event["arms"][identity - event["pull"]]
    name = state.problem.names[arm]
    if isinstance(pull, Pull) and pull.arm != name:
        raise InvalidValue(
            f"pull {identity} is one of arm {name!r}, got one of arm {pull.arm!r}: is it from another study?"
        )
    return identity, arm, endings


def number_of(pull: Pull | int, state: StudyState) -> int:
    """The number of a pull, checked."""
    identity = pull.id if isinstance(pull, Pull) else pull
    if type(identity) is not int:
        identity = own_number(identity)
    if isinstance(identity, bool) or not isinstance(identity, int) or not 1 <= identity <= state.asked:
        known = f"pulls 1 to {state.asked:,} have been asked for" if state.asked else "none has been asked for yet"
        raise InvalidValue(f"pull {identity!r} does not exist: {known}")
    return int(identity)


def asked_in(events: list[Event], pull: int) -> Event:
    """The event that handed a pull out, the first of those about it."""
    if not events or events[0]["type"] != "asked" or pull - events[0]["pull"] >= len(events[0]["arms"]):
        raise BadJournal(f"pull {pull} was asked for, but the journal has no event that handed it out")
    return events[0]


def ended(endings: list[Event]) -> str:
    """What became of a pull at last, in words."""
    words = {
        "told": "was told before",
        "abandoned": "was abandoned before",
        "failed": "failed",
        "expired": "has expired",
    }
    return words[endings[-1]["type"]]


def is_new(pull: int, outcome: Event, endings: list[Event]) -> bool:
    """Is this outcome of a pull yet to be noted, after what became of it before? Refused where they contradict."""
    expired = False
    for ending in endings:
        match ending["type"], outcome["type"]:
            case "abandoned", _:
                raise Conflict(f"pull {pull} was abandoned and cannot be told any more")
            case "expired", _:
                expired = True
            case "told", "told":
                if (before := as_told(ending)) != (now := as_told(outcome)):
                    raise Conflict(f"pull {pull} was told as {before!r} and cannot be told as {now!r}")
                return False
            case "failed", "failed":
                return False
            case "failed", _:
                raise Conflict(f"pull {pull} failed before and cannot be told any more: another pull took its place")
            case _:
                raise Conflict(f"pull {pull} was told as {as_told(ending)!r} and cannot be told as failed")
    return not (expired and outcome["type"] == "failed")  # another pull took its place already
