"""What is told of pulls, and added to a study: all of a call is checked before any of it takes effect."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from surefoot.errors import InvalidValue, Unsupported, shown
from surefoot.problem.metrics import Result
from surefoot.storage import Event
from surefoot.study.event_results import written
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull, is_new, known
from surefoot.study.replica import Transaction
from surefoot.study.study_state import StudyState


def tell(transaction: Transaction, results: Sequence[tuple[Pull | int, Result | Failed]]) -> None:
    state, time = transaction.state, transaction.turn.now
    fresh: dict[int, Event] = {}
    for pull, result in results:
        identity, arm, endings = known(pull, transaction.turn, state)
        outcome = state.outcome(result, arm, identity, time)
        if identity in fresh:
            endings = [*endings, fresh[identity]]
        if not endings or is_new(identity, outcome, endings):
            fresh[identity] = outcome
    engine = state.engine
    for identity, outcome in fresh.items():
        if engine.finished or identity not in engine.in_flight:
            outcome["late"] = True
        transaction.take(outcome)


def record(transaction: Transaction, results: Sequence[tuple[Any, ...]]) -> None:
    """Results that nobody asked for: an arm, what came, and the item if there are items."""
    state = transaction.state
    if state.engine.one_at_a_time:
        raise Unsupported("this policy can use only the pulls that it asked for: it takes no other results")
    before, checked = Counter[int](), []
    for arm, result, *item in results:
        index = state.arm(arm)
        values = state.checked(result, index)
        checked.append((index, values, recorded_item(state, index, item[0] if item else None, before[index])))
        before[index] += 1
    for index, values, on in checked:
        late = {"late": True} if state.engine.finished else {}
        transaction.happen("recorded", arm=index, **written(values, state.version), **on, **late)


def recorded_item(state: StudyState, arm: int, item: Any, before: int) -> Event:
    """The item of a result, after so many others of its arm: it must be the one that is next in the order of all arms."""
    items, name = state.problem.items, state.problem.names[arm]
    if items is None:
        if item is not None:
            raise InvalidValue(f'a result has an item only with design = "items", got item {shown(item)}')
        return {}
    if items.rounds:
        raise Unsupported('design = "rounds" takes only results of pulls that it asked for: all of a round at a time')
    if state.engine.finished:
        return {"item": None}
    number = state.engine.next_item(arm, before)
    if number is None:
        raise InvalidValue(f"arm {name!r} was tried on all {items.count:,} items: no further result can be recorded")
    if items.name(number) != item:
        raise InvalidValue(
            f"the next result of arm {name!r} must be one on item {items.name(number)!r}, as all arms go through the items "
            f"in one order, got {'no item' if item is None else f'item {item!r}'}"
        )
    return {"item": number}


def set_aside(transaction: Transaction, arm: str, why: str) -> None:
    """Exclude an arm, and abandon its pulls in flight."""
    engine, index = transaction.state.engine, transaction.state.arm(arm)
    if engine.one_at_a_time:
        raise Unsupported("this policy cannot go on if an arm is excluded")
    if engine.finished or index in engine.aside:
        return
    for pull in [pull for pull, asked in engine.in_flight.items() if asked.arm == index]:
        transaction.happen("abandoned", pull=pull)
    if not engine.finished:
        transaction.happen("set_aside", arm=index, why=why)


def heartbeat(transaction: Transaction, pulls: Sequence[Pull | int]) -> list[bool]:
    """Pulls that are still being made, so that their leases begin anew; of each, would its result count?"""
    state = transaction.state
    identities = [known(pull, transaction.turn, state)[0] for pull in pulls]
    counting = [state.counts(identity) for identity in identities]
    for identity, counts in zip(identities, counting, strict=True):
        if counts and state.lease is not None:
            transaction.happen("extended", pull=identity)
    return counting
