"""What each event does to a study, as it happens and as it is read: the only way in which its state changes.

The same events give the same state, bit for bit; no clock is read here. A further kind of event is a line of `KINDS`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.errors import BadJournal, SurefootError, number
from surefoot.storage import Event
from surefoot.study.event_results import values
from surefoot.study.leases import Heard
from surefoot.study.study_state import STATUS, StudyState

# What comes of an event that is not what it should be, whatever its fields hold.
IMPOSSIBLE = (SurefootError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
CODES = {status: code for code, status in STATUS.items()}


def begun(created: Event) -> StudyState:
    """The state after a journal's first event."""
    try:
        return StudyState(created)
    except IMPOSSIBLE as error:
        raise BadJournal(f"event 1 of the journal is not valid: {error}") from error


def replay(state: StudyState, event: Event, position: int) -> None:
    """Take an event of a journal; refused where it cannot be."""
    try:
        kind = KINDS.get(event.get("type", ""))
        if kind is None:
            raise BadJournal(f"there is no event of type {event.get('type')!r} here")
        kind.check(state, event)
        if type(event["time"]) is not float:
            number("time", event["time"])
        kind.apply(state, event)
    except IMPOSSIBLE as error:
        raise BadJournal(f"event {position} of the journal is not valid: {error}") from error


# --- asked: pulls are handed out


def check_asked(state: StudyState, event: Event) -> None:
    if event["pull"] != state.asked + 1:
        raise BadJournal(f"its pulls must begin with {state.asked + 1}, got {event['pull']!r}")
    for arm in event["arms"]:
        check_arm(state, arm)
    check_text(event, "request", "a request")


def asked(state: StudyState, event: Event) -> None:
    """An ask that happens has yet to be given its arms. Those of a journal are taken as written: they were asked for."""
    first = event["pull"]
    event["arms"] = state.engine.hand_out(first, event["arms"])
    count = len(event["arms"])
    if state.problem.items:
        items = [state.engine.item(state.engine.in_flight[pull]) for pull in range(first, first + count)]
        if event.setdefault("items", items) != items:
            raise BadJournal(f"its items must be {items}, in the order of this study, got {event['items']!r}")
    state.asked += count
    if state.lease is not None:
        state.heard.update({pull: Heard(event["time"]) for pull in range(first, first + count)})


# --- told, recorded: results


def check_told(state: StudyState, event: Event) -> None:
    """A pull that is not in flight may be told if it expired; the event then says that the reward does not count."""
    pull, in_flight = event["pull"], state.engine.in_flight.get(event["pull"])
    if in_flight:
        state.check_values(event, in_flight.arm)
    elif not isinstance(pull, int) or not 1 <= pull <= state.asked:
        raise BadJournal(f"pull must be one that was asked for, 1 to {state.asked}, got {pull!r}")
    elif not event.get("late", False):
        raise BadJournal(f"pull {pull} was told, abandoned or expired before")
    check_text(event, "failed", "why a pull failed")


def told(state: StudyState, event: Event) -> None:
    engine, pull = state.engine, event["pull"]
    if state.heard:
        state.heard.pop(pull, None)
    if engine.finished or pull not in engine.in_flight:
        engine.drop(pull)
        return
    if "failed" in event:
        engine.note_failure(engine.in_flight[pull].arm)
    result = values(event)
    if state.clipping:
        state.note_clipped(engine.in_flight[pull].arm, result)
    engine.tell(pull, state.inward(result))


def check_recorded(state: StudyState, event: Event) -> None:
    check_arm(state, event["arm"])
    state.check_values(event, event["arm"])

    if state.problem.items and not state.engine.finished and state.engine.next_item(event["arm"]) != event["item"]:
        raise BadJournal(f"its item must be {state.engine.next_item(event['arm'])}, got {event['item']!r}")


def recorded(state: StudyState, event: Event) -> None:
    if not state.engine.finished:
        result = values(event)
        if state.clipping:
            state.note_clipped(event["arm"], result)
        state.engine.record(event["arm"], state.inward(result))


# --- abandoned, expired, failed, extended: pulls in flight


def check_in_flight(state: StudyState, event: Event) -> None:
    if event["pull"] not in state.engine.in_flight:
        raise BadJournal(f"pull {event['pull']!r} is not in flight")


def abandoned(state: StudyState, event: Event) -> None:
    state.heard.pop(event["pull"], None)
    if state.engine.finished:
        state.engine.drop(event["pull"])
    else:
        state.engine.abandon(event["pull"])


def expired(state: StudyState, event: Event) -> None:
    if not state.engine.finished:
        state.engine.note_expired(state.engine.in_flight[event["pull"]].arm)
    replaced(state, event)


def replaced(state: StudyState, event: Event) -> None:
    """A fresh pull takes the place of one that brought no result."""
    state.heard.pop(event["pull"], None)
    if state.engine.finished:
        state.engine.drop(event["pull"])
    else:
        state.engine.replace(event["pull"])


def check_failed(state: StudyState, event: Event) -> None:
    check_in_flight(state, event)
    if not isinstance(event["why"], str):
        raise BadJournal(f"why a pull failed must be text, got {event['why']!r}")


def failed(state: StudyState, event: Event) -> None:
    if not state.engine.finished:
        state.engine.note_failure(state.engine.in_flight[event["pull"]].arm)
    replaced(state, event)


def extended(state: StudyState, event: Event) -> None:
    state.heard.pop(event["pull"], None)
    state.heard[event["pull"]] = Heard(event["time"])


# --- set_aside, closed, decided: the study as a whole


def check_set_aside(state: StudyState, event: Event) -> None:
    arm = event["arm"]
    check_arm(state, arm)
    if arm in state.engine.aside or not isinstance(event["why"], str):
        raise BadJournal(f"arm {arm} does not exist, or is excluded already")
    if any(asked.arm == arm for asked in state.engine.in_flight.values()):
        raise BadJournal(f"arm {arm} has pulls in flight and cannot be excluded")


def set_aside(state: StudyState, event: Event) -> None:
    state.engine.set_aside(event["arm"], event["why"])


def check_nothing(state: StudyState, event: Event) -> None:
    pass


def closed(state: StudyState, event: Event) -> None:
    state.engine.finish(verdicts.UNDECIDED, -1)


def check_decided(state: StudyState, event: Event) -> None:
    known = event["status"] in CODES and isinstance(event["arm"], int)
    if not known or not -1 <= event["arm"] < len(state.problem.arms):
        raise BadJournal(f"there is no decision {event['status']!r} with arm {event['arm']!r}")


def decided(state: StudyState, event: Event) -> None:
    """As written: what was decided was decided."""
    state.engine.finish_as(CODES[event["status"]], event["arm"])
    state.announced = True


def check_arm(state: StudyState, arm: Any) -> None:
    if not isinstance(arm, int) or not 0 <= arm < len(state.problem.arms):
        raise BadJournal(f"arm must be 0 to {len(state.problem.arms) - 1}, got {arm!r}")


def check_text(event: Event, field: str, what: str) -> None:
    if not isinstance(event.get(field, ""), str):
        raise BadJournal(f"{what} must be text, got {event[field]!r}")


class Kind(NamedTuple):
    """Can an event of a journal be? And what it does."""

    check: Callable[[StudyState, Event], None]
    apply: Callable[[StudyState, Event], None]


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
