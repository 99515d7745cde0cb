"""Memory for what is kept of each arm: one record per arm, with a part for every module of a program.

Each module declares the fields it keeps as a Protocol, `Evidence`, and reads and writes them as attributes. A field may be a
declaration itself: it is then a record within the record. Compiled programs run on a NumPy structured array: an arm's
fields lie side by side, so that a pull touches three cache lines even among a million arms. Interpreted ones run on a list
of plain objects, whose attributes are Python's fastest.
"""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

Packed: TypeAlias = np.ndarray[Any, np.dtype[np.void]]


class Record:
    """A plain record: an instance of one of the classes that `plain_record` makes."""

    __slots__: tuple[str, ...] = ()


@cache
def fields(*declarations: type) -> dict[str, type]:
    """Name and type of every field that the declarations ask for, in order, each once.

    A type is float, int, a declaration, or a row of n floats or records: `Annotated[list[float], n]`.

    >>> from surefoot.core.statistics import Statistics
    >>> fields(Statistics)["pulls"]
    <class 'float'>
    """
    found: dict[str, type] = {}
    for declaration in declarations:
        found.update(get_type_hints(declaration, include_extras=True))
    return found or {"nothing": int}  # the compiler knows no record without a field


@cache
def joined(declaration: type, **parts: type) -> type:
    """The declaration with these records for its parts, in this order, before its numbers."""
    numbers = {name: kind for name, kind in fields(declaration).items() if kind in (float, int)}
    return type(declaration.__name__, (), {"__annotations__": parts | numbers})


def length(kind: type) -> int:
    """Of a row; 0 for a single number or record."""
    return kind.__metadata__[0] if get_origin(kind) is Annotated else 0  # type: ignore[attr-defined]


def element(kind: Any) -> type:
    """What a row is of."""
    one: type = get_args(get_args(kind)[0])[0]
    return one


def nested(kind: type) -> bool:
    """Is a field of this type a record?"""
    return isinstance(kind, type) and kind not in (float, int)


@cache
def layout(*declarations: type) -> np.dtype[np.void]:
    """The structured type of a compiled program's records."""
    columns: list[Any] = []
    for name, kind in fields(*declarations).items():
        one = element(kind) if length(kind) else kind
        shape = (length(kind),) if length(kind) else ()
        columns.append((name, layout(one) if nested(one) else one, shape))
    return np.dtype(columns)


@cache
def plain_record(*declarations: type) -> type:
    """The class of an interpreted program's records."""
    kinds = fields(*declarations)
    parts = {name: element(kind) if length(kind) else kind for name, kind in kinds.items()}
    classes = {f"new_{name}": plain_record(part) for name, part in parts.items() if nested(part)}
    zeros = "\n".join(f"    self.{name} = {zero(name, kind)}" for name, kind in kinds.items())
    written: dict[str, Any] = {}
    exec(f"def __init__(self):\n{zeros}", classes, written)  # written out, it is twice as fast as a loop
    return type("Record", (Record,), {"__slots__": tuple(kinds)} | written)


def zero(name: str, kind: type) -> str:
    """The source of what a field starts with."""
    if rows := length(kind):
        return f"[new_{name}() for _ in range({rows})]" if nested(element(kind)) else f"[0.0] * {rows}"
    return f"new_{name}()" if nested(kind) else repr(kind(0))


def contents(record: Any) -> tuple[Any, ...]:
    """What is in a plain record, as a row of an array of `layout` has it."""
    values = (getattr(record, name) for name in record.__slots__)
    return tuple(
        contents(value) if isinstance(value, Record) else list(map(contents, value)) if is_row(value) else value
        for value in values
    )


def is_row(value: Any) -> bool:
    """Is it a row of records?"""
    return type(value) is list and isinstance(value[0], Record)


def fill(record: Any, values: tuple[Any, ...]) -> Any:
    """Put what `contents` gave into a plain record, or what a row of an array of `layout` has."""
    for name, value in zip(record.__slots__, values, strict=True):
        part = getattr(record, name)
        if isinstance(part, Record):
            fill(part, value)
        elif is_row(part):
            for one, its in zip(part, value, strict=True):
                fill(one, its)
        else:
            setattr(record, name, value)
    return record


def packed(plain: list[Any], *declarations: type) -> Packed:
    """Plain records as an array of `layout`."""
    return np.array([contents(record) for record in plain], layout(*declarations))


def rows(array: Packed) -> Iterator[tuple[Any, ...]]:
    """An array of `layout`, record by record, in plain numbers; much faster by columns than by its records."""

    def of(column: Packed) -> Any:
        if not column.dtype.names:
            return column.tolist()
        return rows(column) if column.ndim == 1 else [list(rows(row)) for row in column]

    return zip(*(of(array[name]) for name in array.dtype.names or ()), strict=True)


def copied(record: Any) -> Any:
    """A record of its own with the same in it."""
    copy = type(record)()
    for name in record.__slots__:
        value = getattr(record, name)
        if isinstance(value, Record):
            value = copied(value)
        elif type(value) is list:
            value = list(map(copied, value)) if is_row(value) else list(value)
        setattr(copy, name, value)
    return copy
