"""Memory for what is kept of each arm: one record per arm, with a part for every module of a program.

Each module declares the fields it keeps as a Protocol, `Evidence`, and reads and writes them as attributes. A field may be a
declaration itself: it is then a record within the record. Compiled programs run on a NumPy structured array: an arm's
fields lie side by side, so that a pull touches three cache lines even among a million arms. Interpreted ones run on a list
of plain objects, whose attributes are Python's fastest. Where both work on the same records, as in a busy live study, the
interpreted ones see the array through `views`.
"""

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

Packed: TypeAlias = np.ndarray[Any, np.dtype[np.void]]


class Record:
    """A plain record: an instance of one of the classes that `plain_record` makes."""

    __slots__: tuple[str, ...] = ()
    __fields__: tuple[str, ...]


class View(ctypes.Structure):
    """A record of an array: an instance of one of the classes that `views` makes."""

    __fields__: tuple[str, ...]


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
    return type("Record", (Record,), {"__slots__": tuple(kinds), "__fields__": tuple(kinds)} | written)


def zero(name: str, kind: type) -> str:
    """The source of what a field starts with."""
    if rows := length(kind):
        return f"[new_{name}() for _ in range({rows})]" if nested(element(kind)) else f"[0.0] * {rows}"
    return f"new_{name}()" if nested(kind) else repr(kind(0))


@cache
def view(layout: np.dtype[Any]) -> Any:
    """The type, or class, as which interpreted programs see an element of an array."""
    if layout.subdtype is not None:
        one, (count,) = layout.subdtype
        return view(one) * count
    if layout.fields is None:
        return ctypes.c_double if layout == np.float64 else ctypes.c_int64
    columns = [(name, view(layout[name])) for name in layout.names or ()]
    return type("View", (View,), {"_fields_": columns, "__fields__": layout.names})


def views(array: np.ndarray[Any, np.dtype[Any]]) -> Any:
    """The elements of an array, as plain numbers and as objects with attributes: what is written to them is in the array."""
    return (view(array.dtype) * len(array)).from_buffer(array.view(np.uint8).data)


def contents(record: Any) -> tuple[Any, ...]:
    """What is in a record, as a row of an array of `layout` has it."""
    return tuple(plain(getattr(record, name)) for name in record.__fields__)


def plain(value: Any) -> Any:
    """What is in a field."""
    if isinstance(value, (Record, View)):
        return contents(value)
    if isinstance(value, (list, ctypes.Array)):
        return list(map(plain, value))
    return value


def is_row(value: Any) -> bool:
    """Is it a row of records?"""
    return isinstance(value, (list, ctypes.Array)) and isinstance(value[0], (Record, View))


def fill(record: Any, values: tuple[Any, ...]) -> Any:
    """Put what `contents` gave into a plain record, or what a row of an array of `layout` has."""
    for name, value in zip(record.__fields__, values, strict=True):
        part = getattr(record, name)
        if isinstance(part, (Record, View)):
            fill(part, value)
        elif is_row(part):
            for one, its in zip(part, value, strict=True):
                fill(one, its)
        elif isinstance(part, ctypes.Array):
            part[:] = value
        else:
            setattr(record, name, value)
    return record


def packed(records: Any, *declarations: type) -> Packed:
    """Records as an array of `layout`: plain ones, or a copy of the array that they are views of."""
    if isinstance(records, ctypes.Array):
        copy: Packed = np.frombuffer(memoryview(records), layout(*declarations)).copy()
        return copy
    return np.array([contents(record) for record in records], layout(*declarations))


def unpacked(array: Packed, *declarations: type) -> Iterator[tuple[Any, ...]]:
    """The contents of each record of an array of `layout`. Its type may say only how many bytes a record has."""
    return rows(array.view(layout(*declarations)))


def rows(array: Packed) -> Iterator[tuple[Any, ...]]:
    """An array of `layout`, record by record, in plain numbers; much faster by columns than by its records."""

    def of(column: Packed) -> Any:
        if not column.dtype.names:
            return column.tolist()
        return rows(column) if column.ndim == 1 else [list(rows(row)) for row in column]

    return zip(*(of(array[name]) for name in array.dtype.names or ()), strict=True)


def copied(record: Any) -> Any:
    """A record of its own with the same in it."""
    if isinstance(record, View):
        return type(record).from_buffer_copy(record)
    copy = type(record)()
    for name in record.__fields__:
        value = getattr(record, name)
        if isinstance(value, Record):
            value = copied(value)
        elif type(value) is list:
            value = list(map(copied, value)) if is_row(value) else list(value)
        setattr(copy, name, value)
    return copy
