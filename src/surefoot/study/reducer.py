"""What each event does to a study, as it happens and as it is read: the only way in which its state changes.

The same events give the same state, bit for bit; no clock is read here. A further kind of event is a line of `KINDS`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.errors import BadJournal, SurefootError, number
from surefoot.storage import Event
from surefoot.study.fold import Fold
from surefoot.study.leases import Heard
from surefoot.study.report import STATUS

# What comes of an event that is not what it should be, whatever its fields hold.
IMPOSSIBLE = (SurefootError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
CODES = {status: code for code, status in STATUS.items()}


def begun(created: Event) -> Fold:
    """The state after a journal's first event."""
    try:
        return Fold(created)
    except IMPOSSIBLE as error:
        raise BadJournal(f"event 1 of the journal cannot be: {error}") from error


def apply(fold: Fold, event: Event) -> None:
    """Let an event take effect."""
    KINDS[event["type"]].apply(fold, event)


def replay(fold: Fold, event: Event, position: int) -> None:
    """Take an event of a journal; refused where it cannot be."""
    try:
        kind = KINDS.get(event.get("type", ""))
        if kind is None:
            raise BadJournal(f"there is no event of type {event.get('type')!r} here")
        kind.check(fold, event)
        if type(event["time"]) is not float:
            number("time", event["time"])
        kind.apply(fold, event)
    except IMPOSSIBLE as error:
        raise BadJournal(f"event {position} of the journal cannot be: {error}") from error


# --- asked: pulls are handed out


def check_asked(fold: Fold, event: Event) -> None:
    if event["pull"] != fold.asked + 1:
        raise BadJournal(f"its pulls must begin with {fold.asked + 1}, got {event['pull']!r}")
    for arm in event["arms"]:
        check_arm(fold, arm)
    check_text(event, "request", "a request")


def asked(fold: Fold, event: Event) -> None:
    """An ask that happens has yet to be given its arms. Those of a journal are taken as written: they were asked for."""
    first = event["pull"]
    event["arms"] = fold.live.hand_out(first, event["arms"])
    count = len(event["arms"])
    fold.asked += count
    if fold.lease is not None:
        fold.heard.update({pull: Heard(event["time"]) for pull in range(first, first + count)})


# --- told, recorded: results


def check_told(fold: Fold, event: Event) -> None:
    """A pull that is not in flight may be told if it expired; the event then says that the reward does not count."""
    pull, in_flight = event["pull"], fold.live.open.get(event["pull"])
    if in_flight:
        fold.reward(event["reward"], in_flight.arm)
    elif not isinstance(pull, int) or not 1 <= pull <= fold.asked:
        raise BadJournal(f"pull must be one that was asked for, 1 to {fold.asked}, got {pull!r}")
    elif not event.get("late", False):
        raise BadJournal(f"pull {pull} was told, abandoned or expired before")
    check_text(event, "failed", "why a pull failed")


def told(fold: Fold, event: Event) -> None:
    live, pull = fold.live, event["pull"]
    fold.heard.pop(pull, None)
    if fold.counts(pull):
        if "failed" in event:
            live.note_failure(live.open[pull].arm)
        live.tell(pull, fold.inward(event["reward"]))
    else:
        live.open.pop(pull, None)


def check_recorded(fold: Fold, event: Event) -> None:
    check_arm(fold, event["arm"])
    fold.reward(event["reward"], event["arm"])


def recorded(fold: Fold, event: Event) -> None:
    if not fold.live.finished:
        fold.live.record(event["arm"], fold.inward(event["reward"]))


# --- abandoned, expired, failed, extended: pulls in flight


def check_in_flight(fold: Fold, event: Event) -> None:
    if event["pull"] not in fold.live.open:
        raise BadJournal(f"pull {event['pull']!r} is not in flight")


def abandoned(fold: Fold, event: Event) -> None:
    fold.heard.pop(event["pull"], None)
    if fold.live.finished:
        fold.live.open.pop(event["pull"])
    else:
        fold.live.abandon(event["pull"])


def expired(fold: Fold, event: Event) -> None:
    fold.heard.pop(event["pull"], None)
    if fold.live.finished:
        fold.live.open.pop(event["pull"])
    else:
        fold.live.replace(event["pull"])


def check_failed(fold: Fold, event: Event) -> None:
    check_in_flight(fold, event)
    if not isinstance(event["why"], str):
        raise BadJournal(f"why a pull failed must be text, got {event['why']!r}")


def failed(fold: Fold, event: Event) -> None:
    if not fold.live.finished:
        fold.live.note_failure(fold.live.open[event["pull"]].arm)
    expired(fold, event)


def extended(fold: Fold, event: Event) -> None:
    fold.heard.pop(event["pull"], None)
    fold.heard[event["pull"]] = Heard(event["time"])


# --- set_aside, closed, decided: the study as a whole


def check_set_aside(fold: Fold, event: Event) -> None:
    arm = event["arm"]
    check_arm(fold, arm)
    if arm in fold.live.aside or not isinstance(event["why"], str):
        raise BadJournal(f"arm {arm} cannot be excluded, or not again")
    if any(asked.arm == arm for asked in fold.live.open.values()):
        raise BadJournal(f"arm {arm} has pulls in flight and cannot be excluded")


def set_aside(fold: Fold, event: Event) -> None:
    fold.live.set_aside(event["arm"], event["why"])


def check_nothing(fold: Fold, event: Event) -> None:
    pass


def closed(fold: Fold, event: Event) -> None:
    fold.live.finish(verdicts.UNDECIDED, -1)


def check_decided(fold: Fold, event: Event) -> None:
    known = event["status"] in CODES and isinstance(event["arm"], int)
    if not known or not -1 <= event["arm"] < len(fold.problem.arms):
        raise BadJournal(f"there is no decision {event['status']!r} with arm {event['arm']!r}")


def decided(fold: Fold, event: Event) -> None:
    """As written: what was decided was decided."""
    fold.live.finish(verdicts.UNDECIDED, -1)
    fold.live.status, fold.live.best = CODES[event["status"]], event["arm"]
    fold.announced = True


def check_arm(fold: Fold, arm: Any) -> None:
    if not isinstance(arm, int) or not 0 <= arm < len(fold.problem.arms):
        raise BadJournal(f"arm must be 0 to {len(fold.problem.arms) - 1}, got {arm!r}")


def check_text(event: Event, field: str, what: str) -> None:
    if not isinstance(event.get(field, ""), str):
        raise BadJournal(f"{what} must be text, got {event[field]!r}")


class Kind(NamedTuple):
    """Can an event of a journal be? And what it does."""

    check: Callable[[Fold, Event], None]
    apply: Callable[[Fold, Event], None]


KINDS = {
    "asked": Kind(check_asked, asked),
    "told": Kind(check_told, told),
    "recorded": Kind(check_recorded, recorded),
    "abandoned": Kind(check_in_flight, abandoned),
    "expired": Kind(check_in_flight, expired),
    "failed": Kind(check_failed, failed),
    "extended": Kind(check_in_flight, extended),
    "set_aside": Kind(check_set_aside, set_aside),
    "closed": Kind(check_nothing, closed),
    "decided": Kind(check_decided, decided),
}
