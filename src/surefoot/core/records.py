"""Memory for what is kept of each arm: one record per arm, with the fields of every module of a program.

Each module declares the fields it keeps as a Protocol, `Evidence`, and reads and writes them as attributes. Compiled
programs run on a NumPy structured array: an arm's fields lie side by side, so that a pull touches three cache lines even
among a million arms. Interpreted ones run on a list of plain objects, whose attributes are Python's fastest.
"""

from functools import cache
from typing import Annotated, Any, get_origin, get_type_hints

import numpy as np


@cache
def fields(*declarations: type) -> dict[str, type]:
    """Name and type of every field that the declarations ask for, in order, each once.

    A type is float, int, or `Annotated[list[float], n]` for a row of n floats.

    >>> from surefoot.core.statistics import Statistics
    >>> fields(Statistics)["pulls"]
    <class 'float'>
    """
    found: dict[str, type] = {}
    for declaration in declarations:
        found.update(get_type_hints(declaration, include_extras=True))
    return found


def length(kind: type) -> int:
    """Of a row of floats; 0 for a single number."""
    return kind.__metadata__[0] if get_origin(kind) is Annotated else 0  # type: ignore[attr-defined]


@cache
def layout(*declarations: type) -> np.dtype[np.void]:
    """The structured type of a compiled program's records."""
    return np.dtype(
        [
            (name, np.float64, rows) if (rows := length(kind)) else (name, kind)
            for name, kind in fields(*declarations).items()
        ]
    )


@cache
def plain_record(*declarations: type) -> type:
    """The class of an interpreted program's records."""
    names = fields(*declarations)
    zeros = "\n".join(
        f"    self.{name} = {f'[0.0] * {rows}' if (rows := length(kind)) else repr(kind(0))}"
        for name, kind in names.items()
    )
    namespace: dict[str, Any] = {"__slots__": tuple(names)}
    exec(f"def __init__(self):\n{zeros}", namespace)  # a class written out is twice as fast to fill as a loop
    del namespace["__builtins__"]
    return type("Record", (), namespace)
