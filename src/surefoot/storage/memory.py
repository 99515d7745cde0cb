"""A storage that lasts as long as its process."""

import threading
import time
from bisect import bisect, bisect_left
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TypeVar

from surefoot.errors import Conflict, NoSuchStudy
from surefoot.storage.journal import ENDINGS, Entry, Event, Snapshot

Key = TypeVar("Key", int, str)


class Memory:
    """Keeps journals as lists, for as long as the program runs."""

    def __init__(self) -> None:
        self.url = "memory://"
        self.journals: dict[str, MemoryJournal] = {}

    def studies(self) -> list[Entry]:
        journals = [(name, journal.events) for name, journal in list(self.journals.items())]  # others create and delete
        return [Entry(name, events[0]["time"], events[-1]["time"], len(events)) for name, events in journals]

    def create(self, name: str, event: Event) -> None:
        if self.journals.setdefault(name, journal := MemoryJournal(self, name, event)) is not journal:
            raise Conflict(f"there is a study {name!r} already")

    def journal(self, name: str) -> "MemoryJournal":
        if (journal := self.journals.get(name)) is None:
            raise NoSuchStudy(f"there is no study {name!r} in memory")
        return journal

    def delete(self, name: str) -> None:
        journal = self.journal(name)
        with journal.lock:
            journal.check_kept()
            del self.journals[name]

    def ready(self) -> None:
        """There is always memory."""

    def now(self) -> float:
        return time.time()

    def close(self) -> None:
        """Nothing to let go of."""


class MemoryJournal:
    """Serves as its own turn, because there is one at a time."""

    def __init__(self, storage: Memory, name: str, event: Event) -> None:
        self.storage, self.name = storage, name
        self.events = [event]
        self.lock = threading.Lock()
        self.kept: Snapshot | None = None
        self.now, self.missed = 0.0, list[Event]()
        self.before = 1  # events when the turn began
        self.first_pulls: list[int] = []  # of each event that handed pulls out, and at which index it stands
        self.asked_at: list[int] = []
        self.ended_at: dict[int, int] = {}
        self.told_late_at: dict[int, int] = {}  # of pulls that had ended before
        self.requested_at: dict[str, int] = {}

    @property
    def key(self) -> "MemoryJournal":
        return self

    def since(self, position: int, limit: int | None = None) -> Iterator[Event]:
        self.check_kept()
        return map(dict, self.events[position : None if limit is None else position + limit])

    def turn(self, position: int) -> "MemoryJournal":
        self.lock.acquire()
        try:
            self.check_kept()
        except NoSuchStudy:
            self.lock.release()
            raise
        self.now = self.storage.now()
        self.missed = self.events[position:]
        self.before = len(self.events)
        return self

    def check_kept(self) -> None:
        if self.storage.journals.get(self.name) is not self:
            raise NoSuchStudy(f"the study {self.name!r} was deleted")

    def __enter__(self) -> "MemoryJournal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.undo()
        self.lock.release()

    def undo(self) -> None:
        """Forget what was appended in this turn."""
        del self.events[self.before :]
        asked = bisect_left(self.asked_at, self.before)
        del self.asked_at[asked:], self.first_pulls[asked:]
        self.ended_at, self.told_late_at = self.earlier(self.ended_at), self.earlier(self.told_late_at)
        self.requested_at = self.earlier(self.requested_at)

    def earlier(self, places: dict[Key, int]) -> dict[Key, int]:
        return {key: index for key, index in places.items() if index < self.before}

    def append(self, events: Sequence[Event]) -> None:
        for event in events:
            kind, index = event["type"], len(self.events)
            if kind in ENDINGS:
                if self.ended_at.setdefault(event["pull"], index) != index:
                    self.told_late_at[event["pull"]] = index
            elif kind == "asked":
                self.first_pulls.append(event["pull"])
                self.asked_at.append(index)
                if "request" in event:
                    self.requested_at[event["request"]] = index
            self.events.append(event)

    def of_pull(self, pull: int) -> list[Event]:
        asked = self.asked_at[bisect(self.first_pulls, pull) - 1]
        endings = [events[pull] for events in (self.ended_at, self.told_late_at) if pull in events]
        return [self.events[index] for index in (asked, *endings)]

    def of_request(self, request: str) -> Event | None:
        return self.events[self.requested_at[request]] if request in self.requested_at else None

    def clock(self) -> float:
        return self.storage.now()

    def snapshot(self) -> Snapshot | None:
        return self.kept

    def keep(self, snapshot: Snapshot) -> None:
        if self.kept is None or self.kept.position < snapshot.position:
            self.kept = snapshot

    def drop_snapshot(self) -> None:
        self.kept = None
