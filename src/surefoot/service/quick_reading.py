"""The bodies of calls that workers make again and again, read in a tenth of the time that the models take.

They have the names and the fields of models. Whatever is not surely as it should be is left to these, which say what is
wrong with it; so what is read here may be less than what they take, and never more.
"""

from typing import Annotated, TypeAlias, TypeVar

from msgspec import Meta, MsgspecError, Struct
from msgspec.json import Decoder

from surefoot.service.models import LARGEST_WHOLE, MOST_PULLS, MOST_RESULTS

Whole: TypeAlias = Annotated[int, Meta(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]
Told: TypeAlias = float | bool


class Outcome(Struct, forbid_unknown_fields=True):
    pull: Whole
    reward: Told | None = None
    values: dict[str, Told] | None = None
    failed: str | None = None


class Ask(Struct, forbid_unknown_fields=True):
    count: Annotated[int, Meta(ge=1, le=MOST_PULLS)] | None = None
    worker: str | None = None
    request: str | None = None


class Tell(Struct, forbid_unknown_fields=True):
    results: Annotated[list[Outcome], Meta(max_length=MOST_RESULTS)]


class Exchange(Ask, forbid_unknown_fields=True, kw_only=True):
    results: Annotated[list[Outcome], Meta(max_length=MOST_RESULTS)]


Body = TypeVar("Body", Ask, Tell, Exchange)


def read_well_formed(decoder: Decoder[Body], body: bytes) -> Body | None:
    """The body of a request that is surely as it should be; None: look closer.

    The decoder would take the last of two fields of one name. A colon stands behind each name, or in a text; so there is
    one more than in what was read. Not if a field that is null, and read as if it was left out, or an escape hid it.
    """
    if b"null" in body or b"\\" in body:
        return None
    try:
        found = decoder.decode(body)
    except (MsgspecError, ValueError, RecursionError):
        return None
    return found if body.count(b":") == colons_in(found) else None


def colons_in(value: object) -> int:
    """How many colons the JSON of what was read has, if each name is there once, none is null and nothing is escaped."""
    match value:
        case Outcome(reward=float(), values=None, failed=None):  # nearly always, and quick to see
            return 2
        case Struct():
            fields = [getattr(value, name) for name in value.__struct_fields__]
            return sum(1 + colons_in(field) for field in fields if field is not None)
        case list():
            return sum(map(colons_in, value))
        case dict():
            return sum(1 + colons_in(name) + colons_in(each) for name, each in value.items())
        case str():
            return value.count(":")
    return 0
