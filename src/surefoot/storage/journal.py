"""What a storage is: it keeps studies' journals. Every storage goes through the contract suite in tests/storage."""

from collections.abc import Hashable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeAlias

Event: TypeAlias = dict[str, Any]  # plain data; `type` and `time` always, `pull` and `request` where it has them

ENDINGS = ("told", "failed", "abandoned", "expired")  # what becomes of a pull


class Entry(NamedTuple):
    """A study in a storage's list."""

    name: str
    created: float  # seconds since 1970
    changed: float
    events: int
    fault: str = ""  # what is wrong with an entry that cannot be; the times and the number are then 0


class Snapshot(NamedTuple):
    """A fold's state after so many events. It can always be thrown away."""

    position: int
    version: str  # of what made it
    body: bytes


class Turn(Protocol):
    """A turn at writing: until it ends, nobody else writes to this journal. Leaving it by an error undoes it."""

    @property
    def now(self) -> float:
        """By the storage's clock, one for all who write to it."""

    @property
    def missed(self) -> Sequence[Event]:
        """What others wrote since this reader's position."""

    def __enter__(self) -> "Turn": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def append(self, events: Sequence[Event]) -> None:
        """Once the turn is over, all of them are kept for good, or none."""

    def of_pull(self, pull: int) -> list[Event]:
        """The event that handed a pull out, then its endings."""

    def of_request(self, request: str) -> Event | None:
        """The event that answered a request."""


class Journal(Protocol):
    """The events of one study, numbered from 1."""

    @property
    def key(self) -> Hashable:
        """That no other journal of the storage has, not even a later one of the same name."""

    def since(self, position: int, limit: int | None = None) -> Iterator[Event]:
        """The events after the first `position` ones, or as many of them."""

    def turn(self, position: int) -> Turn:
        """A turn at writing, for who has read the first `position` events."""

    def clock(self) -> float:
        """The time by the storage's clock, in seconds since 1970."""

    def snapshot(self) -> Snapshot | None: ...

    def keep(self, snapshot: Snapshot) -> None:
        """Have this snapshot in the place of any older one."""

    def drop_snapshot(self) -> None: ...


class Storage(Protocol):
    """Journals by their study's name."""

    @property
    def url(self) -> str:
        """Where it is, for people: without a password."""

    def studies(self) -> list[Entry]:
        """What there is, in order of creation."""

    def create(self, name: str, event: Event) -> None:
        """Begin a journal with its first event; Conflict if there is a study of that name."""

    def journal(self, name: str) -> Journal:
        """The journal of a study; NoSuchStudy if there is none."""

    def delete(self, name: str) -> None:
        """Forget a study for good; NoSuchStudy if there is none."""

    def ready(self) -> None:
        """StorageFailed if it is known that nothing could be kept now."""

    def now(self) -> float:
        """Seconds since 1970."""

    def close(self) -> None: ...
