"""A link of the chain of columns (`replay`): the last one."""

from typing import Any

METRIC = 0


def row(columns: Any, place: int) -> tuple[float, ...]:
    """The numbers in one row."""
    return (columns[METRIC][place],)
