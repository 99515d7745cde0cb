"""What can be read of a damaged journal, in a journal of its own."""

from collections.abc import Iterator

from surefoot.errors import BadJournal
from surefoot.storage import Event, Journal, Memory, Where, connect
from surefoot.study.reducer import begun
from surefoot.study.replica import sound_events


def salvaged(storage: Where, name: str, to: Where | None) -> tuple[Journal, Iterator[Event]]:
    """A new journal that begins as the damaged one does, and the events that are sound after its first."""
    events = sound_events(connect(storage).journal(name))
    first = next(events, None)
    if first is None:
        raise BadJournal(f"nothing of the study {name!r} can be read: event 1 of its journal is damaged")
    target, called = (Memory(), "") if to is None else (connect(to), name)
    begun(first)  # or else refused, before anything is written
    target.create(called, first)
    return target.journal(called), events
