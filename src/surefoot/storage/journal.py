"""What a storage must do: keep the journals of studies. The contract suite in tests/storage tests every storage."""

from collections.abc import Hashable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeAlias

Event: TypeAlias = dict[str, Any]  # plain data: always `type` and `time`; `pull` and `request` if the event has them

ENDINGS = ("told", "failed", "abandoned", "expired")  # the events that end a pull


class Entry(NamedTuple):
    """A study in a storage's list."""

    name: str
    created: float  # seconds since 1970
    changed: float
    events: int
    fault: str = ""  # what is damaged in the entry; the times and the number are then 0


class Snapshot(NamedTuple):
    """The state of a study after so many events. Deleting it loses nothing: the journal has it all."""

    position: int
    version: str  # of the code that made it
    body: bytes


class Turn(Protocol):
    """A turn at writing: until it ends, nobody else can write to this journal. If an error ends it, nothing is written."""

    @property
    def now(self) -> float:
        """The time by the storage's clock, which is the same for all who write to it."""

    @property
    def missed(self) -> Sequence[Event]:
        """The events that others wrote after this reader's position."""

    def __enter__(self) -> "Turn": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def append(self, events: Sequence[Event]) -> None:
        """Write events: when the turn has ended, all of them are kept, or none."""

    def of_pull(self, pull: int) -> list[Event]:
        """The event that handed a pull out, then the events that ended it."""

    def of_request(self, request: str) -> Event | None:
        """The event that answered a request."""


class Journal(Protocol):
    """The events of one study, numbered from 1."""

    @property
    def key(self) -> Hashable:
        """A key that no other journal of the storage has, not even a later one of the same name."""

    def since(self, position: int, limit: int | None = None) -> Iterator[Event]:
        """The events after the first `position` ones, `limit` of them at most."""

    def turn(self, position: int) -> Turn:
        """A turn at writing for a reader that has read the first `position` events."""

    def clock(self) -> float:
        """The time by the storage's clock, in seconds since 1970."""

    def snapshot(self) -> Snapshot | None: ...

    def keep(self, snapshot: Snapshot) -> None:
        """Keep this snapshot instead of an older one."""

    def drop_snapshot(self) -> None: ...


class Storage(Protocol):
    """Keeps journals, by the names of their studies."""

    @property
    def url(self) -> str:
        """The address of the storage, to be shown: without a password."""

    def studies(self) -> list[Entry]:
        """The studies that the storage has, in the order in which they were created."""

    def create(self, name: str, event: Event) -> None:
        """Begin a journal with its first event. Raises Conflict if there is a study of that name."""

    def journal(self, name: str) -> Journal:
        """The journal of a study. Raises NoSuchStudy if there is none."""

    def delete(self, name: str) -> None:
        """Delete a study and all its events. Raises NoSuchStudy if there is none."""

    def ready(self) -> None:
        """Raises StorageFailed if nothing could be kept now."""

    def now(self) -> float:
        """The time by the storage's clock, in seconds since 1970."""

    def close(self) -> None: ...
