"""A link of the chain of columns (`replay`): one of them, then the rest."""

from typing import Any

from surefoot.work import last_column as rest

METRIC = 0


def row(columns: Any, place: int) -> tuple[float, ...]:
    """The numbers in one row."""
    return (columns[METRIC][place],) + rest.row(columns, place)  # noqa: RUF005 - the compiler knows sums of tuples
