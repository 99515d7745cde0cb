"""A journal and the state that it adds up to: nothing is acknowledged before it is written."""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from surefoot.errors import BadJournal, NoSuchStudy, PartFailed, StorageFailed, SurefootError
from surefoot.storage import Event, Journal
from surefoot.study import snapshot
from surefoot.study.leases import Leases
from surefoot.study.reducer import KINDS, begun, replay
from surefoot.study.study_state import StudyState

MANY = 10_000  # events


class Replica:
    """The state of a study as far as this process has read its journal. Threads take turns."""

    def __init__(self, journal: Journal, snapshots: bool) -> None:
        self.journal = journal
        self.lock = threading.RLock()
        self.position = 0
        self.loaded: StudyState | None = None
        self.shared: Transaction | None = None  # that calls of the thread with the lock take part in
        self.leases = Leases(journal.clock)
        self.every = snapshot.between(self.state) if snapshots else 0  # events from one snapshot to the next; 0: never

    @property
    def state(self) -> StudyState:
        """The state; folded anew if it is not there, or may be ahead of the journal."""
        if self.loaded is None:
            with self.lock:
                self.loaded = self.load()
        return self.loaded

    def created(self) -> Event:
        """The first event."""
        found = next(self.journal.since(0, 1), None)
        if found is None:
            raise NoSuchStudy("the study was deleted")
        return found

    def load(self) -> StudyState:
        created = self.created()
        kept = self.journal.snapshot()
        state = snapshot.restored(created, kept) if kept else None
        if kept and state:
            self.position = kept.position
        else:
            state, self.position = begun(created), 1
        self.take_in(state, self.journal.since(self.position))
        self.leases.date(state.heard)
        return state

    def take_in(self, state: StudyState, events: Iterable[Event]) -> None:
        try:
            for event in events:
                replay(state, event, self.position + 1)
                self.position += 1
        except BaseException:
            self.forget()
            raise

    def forget(self) -> None:
        """Have the state folded anew when it is next needed, but remember when it was heard of pulls."""
        if self.loaded is not None:
            self.leases.known = self.loaded.heard
        self.loaded = None

    def refresh(self) -> int:
        """Take in what others have written; how many events that was."""
        with self.lock:
            state, before = self.state, self.position
            self.take_in(state, self.journal.since(before))
            self.leases.date(state.heard)
            return self.position - before

    @property
    def is_compiled(self) -> bool:
        return self.loaded is not None and self.loaded.engine.is_compiled

    def compile(self) -> None:
        """Have the state go on with compiled kernels."""
        with self.lock:
            if not self.state.engine.is_compiled:
                self.state.engine.compile()

    def transaction(self) -> "Transaction":
        return Transaction(self)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What this thread's calls do within it is written by one commit, at its end; none of it if an error leaves it.

        Until then nothing that a call gave may be passed on. A call that refuses changes nothing, and others may follow.
        """
        with Transaction(self) as transaction:
            self.shared = transaction
            try:
                yield
            except BaseException:
                transaction.is_undone = True
                raise
            finally:
                self.shared = None

    def keep_snapshot(self, before: int) -> None:
        """If enough has happened since this position."""
        if self.position // self.every > before // self.every:
            with suppress(StorageFailed):  # what happened is in the journal all the same
                self.journal.keep(snapshot.taken(self.state, self.position))

    def write_again(self, events: Iterable[Event]) -> None:
        """Events of another journal, one by one, each once the state has taken it."""
        state, self.leases = self.state, Leases(self.journal.clock)  # they may have happened long ago
        with self.journal.turn(self.position) as turn:
            for event in events:
                self.take_in(state, [event])
                turn.append([event])
        self.leases.date(state.heard)

    def write_while_sound(self, events: Iterable[Event]) -> None:
        """Events of another journal, up to the first that the state does not take."""
        state, self.leases = self.state, Leases(self.journal.clock)
        with self.journal.turn(self.position) as turn:
            for event in events:
                try:
                    replay(state, event, self.position + 1)
                except BadJournal:
                    self.forget()  # it may have taken half of it
                    return
                self.position += 1
                turn.append([event])
        self.leases.date(state.heard)

    def read_all(self) -> int:
        """Read the whole journal, from its first event; how many events there are."""
        with self.lock:
            self.position = 1
            self.take_in(begun(self.created()), self.journal.since(1))
            return self.position


class Transaction:
    """What one call does to a study: it reads the state and the journal, and lets things happen.

    It catches up with what others wrote, lets overdue pulls expire, lets the caller do what it does, and appends what
    happened: only then the call returns. A caller that refuses changes nothing. Should anything else go wrong, the state may
    be ahead of the journal: it is thrown away, and made anew when it is next needed.
    """

    def __init__(self, replica: Replica) -> None:
        self.replica = replica
        self.fresh: list[Event] = []  # what happened and is not appended yet
        self.is_undone = False
        self.whole: Transaction | None = None  # that this one is a part of

    def __enter__(self) -> "Transaction":
        replica = self.replica
        replica.lock.acquire()
        if replica.shared is not None:
            self.whole = replica.shared
            return self.whole
        try:
            self.state = replica.state
            self.turn = replica.journal.turn(replica.position).__enter__()
            try:
                self.begin()
            except BaseException:
                self.turn.__exit__(*sys.exc_info())
                raise
        except BaseException:
            replica.forget()
            replica.lock.release()
            raise
        return self

    def begin(self) -> None:
        replica, state = self.replica, self.state
        if self.turn.missed:
            replica.take_in(state, self.turn.missed)
        self.before = replica.position
        if state.lease is not None:
            for pull in state.overdue(replica.leases.date(state.heard, self.turn.now)):
                self.happen("expired", pull=pull)
        if state.engine.finished:
            self.announce()  # what others wrote may decide by our arithmetic and not by theirs
        if self.fresh:
            self.append()  # at once, so that the caller finds them in the journal

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        replica = self.replica
        if self.whole is not None:
            if self.whole.fresh:
                self.whole.append()  # so that the next call finds it in the journal
            replica.lock.release()
            return
        try:
            if error is not None and (self.is_undone or not is_refusal(error)):
                replica.forget()  # a part that fails does so in the midst of a choice
                self.turn.__exit__(kind, error, trace)
                return
            self.commit()
            if self.state.lease is not None:
                replica.leases.date(self.state.heard, self.turn.now)
            if replica.every:
                replica.keep_snapshot(self.before)
        except BaseException:
            replica.forget()
            raise
        finally:
            replica.lock.release()

    def commit(self) -> None:
        try:
            if self.fresh:
                self.append()
        except BaseException:
            self.turn.__exit__(*sys.exc_info())
            raise
        self.turn.__exit__(None, None, None)

    def happen(self, kind: str, **fields: Any) -> Event:
        """Let an event happen now."""
        return self.take({"type": kind, "time": self.turn.now, **fields})

    def take(self, event: Event) -> Event:
        """Let an event take effect, and note it for the journal, with the decision if it brought one.

        To ask for pulls when there are none to hand out is no event.
        """
        KINDS[event["type"]].apply(self.state, event)
        if event["type"] != "asked" or event["arms"]:
            self.fresh.append(event)
        if self.state.engine.finished:
            self.announce()
        return event

    def announce(self) -> None:
        """Note the decision, once."""
        if not self.state.announced:
            self.happen("decided", **self.state.decided())

    def append(self) -> None:
        self.turn.append(self.fresh)
        self.replica.position += len(self.fresh)
        self.fresh = []


def is_refusal(error: BaseException) -> bool:
    """Did the caller refuse what it was given, before anything changed?"""
    return isinstance(error, SurefootError) and not isinstance(error, PartFailed)


def sound_events(journal: Journal) -> Iterator[Event]:
    """The events of a journal up to the first that is not what was written, or cannot be read."""
    position = 0
    for most in (MANY, 1):  # at a time; where that fails, one by one up to the very one
        with suppress(BadJournal, StorageFailed):
            while events := list(journal.since(position, most)):
                yield from events
                position += len(events)
            return
