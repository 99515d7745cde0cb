"""An event as a row of a table, and back. Each row carries a digest of itself and of the one before it: a chain."""

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from math import isfinite
from typing import Any, TypeAlias

from surefoot.errors import BadJournal
from surefoot.storage.journal import Event

# position, time, kind, pull, request, body, digest
Row: TypeAlias = tuple[int, float, str, int | None, str | None, str, bytes]
# and the study that it belongs to
StudyRow: TypeAlias = tuple[int, float, str, int | None, str | None, str, bytes, int]

COLUMNS = ("type", "time", "pull", "request")  # of an event, that have a column to themselves; the body has the rest
SIZE = 8  # bytes of a digest: against accidents, not against forgers

encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def digest(before: bytes, position: int, time: str, kind: str, pull: Any, request: Any, body: str) -> bytes:
    """`time` is as Python writes it."""
    if request == "None":  # the text; a request is printable, so that no other one has this mark
        request = "\0None"
    text = f"{position} {time} {kind} {pull} {request} {body}"
    return blake2b(before + text.encode(), digest_size=SIZE).digest()


def to_rows(events: Iterable[Event], position: int, before: bytes) -> Iterator[Row]:
    """The rows of events that come after a position, where the last one has the digest `before`."""
    time, written = 0.0, "0.0"  # the events of a turn have one time, which takes long to write
    for event in events:
        kind, pull, request = event["type"], event.get("pull"), event.get("request")
        if event["time"] is not time:
            time, written = event["time"], repr(event["time"])
        position, body = position + 1, body_of(event)
        before = digest(before, position, written, kind, pull, request, body)
        yield position, time, kind, pull, request, body, before


def body_of(event: Event) -> str:
    reward = event.get("reward")
    if type(reward) is float and len(event) == 4 and "pull" in event and isfinite(reward):
        return f'{{"reward":{reward!r}}}'  # as the encoder has it, in a fifth of the time
    return encode({name: value for name, value in event.items() if name not in COLUMNS})


def to_event(row: Row, position: int, before: bytes) -> Event:
    """The event of the row that should stand at this position, behind one with the digest `before`."""
    at, time, kind, pull, request, body, written = row
    if at != position:
        raise BadJournal(f"event {position} of the journal is missing: event {at} comes next")
    is_number = pull is None or isinstance(pull, int)
    if not is_number or digest(before, at, repr(time), kind, pull, request, body) != written:
        raise BadJournal(
            f"event {position} of the journal is not what was written, or does not belong after the event before it"
        )
    return plain(row)


def plain(row: Row) -> Event:
    """The event of a row."""
    _, time, kind, pull, request, body, _ = row
    event: Event = {"type": kind, "time": time}
    if pull is not None:
        event["pull"] = pull
    if request is not None:
        event["request"] = request
    event.update(json.loads(body))
    return event
