"""The arms as functions of the user's see them: one record for each, without parts, however the records are made."""

from operator import attrgetter
from typing import Any

import numpy as np

from surefoot.core import records
from surefoot.core.state import Arm, Interval
from surefoot.core.statistics import Statistics

# Name, and where it is to be found in an arm's record.
PLACES = {
    **{name: ("metric", name) for name in records.fields(Statistics)},
    **{name: ("goal", name) for name in records.fields(Interval)},
    **{name: (name,) for name, kind in records.fields(Arm).items() if kind is int},
}


class SeenArm:
    """A plain record, seen without its parts."""

    __slots__ = ("record",)

    def __init__(self, record: Any) -> None:
        self.record = record


for name, places in PLACES.items():
    setattr(SeenArm, name, property(attrgetter(".".join(("record", *places)))))


def packed(arms: np.ndarray[Any, np.dtype[np.void]]) -> Any:
    """The same memory, by the names that users know."""
    formats, offsets = [], []
    for places in PLACES.values():
        kind, offset = arms.dtype, 0
        for place in places:
            kind, start = kind.fields[place][:2]  # type: ignore[index]
            offset += start
        formats.append(kind)
        offsets.append(offset)
    size = arms.dtype.itemsize
    return arms.view({"names": list(PLACES), "formats": formats, "offsets": offsets, "itemsize": size})
