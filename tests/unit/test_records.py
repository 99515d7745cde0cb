"""Records within records: the same fields packed and plain, moved from one to the other without loss."""

from typing import Annotated, Any, Protocol

import numpy as np

from surefoot.core import records


class Inner(Protocol):
    value: float
    row: Annotated[list[float], 3]


class Empty(Protocol):
    """Nothing to keep."""


class Outer(Protocol):
    first: Inner
    second: Inner
    none: Empty
    several: Annotated[list[Inner], 2]
    count: int


def plain() -> Any:
    record = records.plain_record(Outer)()
    record.first.value, record.first.row[1], record.second.value, record.count = 0.1, 2.0, -3.0, 7
    record.several[1].row[2] = 4.0
    return record


def test_parts_with_the_same_fields_do_not_collide() -> None:
    record = plain()
    assert (record.first.value, record.second.value) == (0.1, -3.0)
    assert (record.first.row, record.second.row) == ([0.0, 2.0, 0.0], [0.0, 0.0, 0.0])


def test_a_packed_record_has_the_parts_of_a_plain_one() -> None:
    packed = np.zeros(2, records.layout(Outer))
    packed["second"]["row"][1, 2] = packed["several"]["row"][1, 0, 2] = 5.0
    assert packed[1]["second"]["row"].tolist() == [0.0, 0.0, 5.0]
    assert packed[1]["several"]["row"].tolist() == [[0.0, 0.0, 5.0], [0.0, 0.0, 0.0]]
    assert packed.dtype.names == tuple(plain().__slots__)


def test_a_copy_shares_nothing_with_its_record() -> None:
    record = plain()
    copy = records.copied(record)
    record.first.row[1], record.second.value, record.count = 9.0, 9.0, 9
    record.several[1].row[2] = 9.0
    several = [(0.0, [0.0, 0.0, 0.0]), (0.0, [0.0, 0.0, 4.0])]
    assert records.contents(copy) == ((0.1, [0.0, 2.0, 0.0]), (-3.0, [0.0, 0.0, 0.0]), (0,), several, 7)


def test_what_is_in_a_record_survives_being_packed() -> None:
    packed = np.array([records.contents(plain())] * 2, records.layout(Outer))
    for row in records.rows(packed):
        filled = records.fill(records.plain_record(Outer)(), row)
        assert records.contents(filled) == records.contents(plain())
        assert (type(filled.first.row), type(filled.count)) == (list, int)
