"""A table of scores: a row per item, a column per arm (`arm:metric` where there are several metrics)."""

from collections.abc import Sequence

from surefoot.errors import InvalidValue
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_sources import Data, Rows


def columns_of(path: str, names: Sequence[str], metrics: Sequence[Metric]) -> tuple[Rows, ...]:
    """The results of each arm, by item."""
    table, several = Data(path), len(metrics) > 1
    heads = [f"{name}:{metric.name}" if several else name for name in names for metric in metrics]
    rows = table.cells(heads)
    if not rows:
        raise InvalidValue(f"{path} must have a row for each item, got none")
    for number, row in enumerate(rows, 1):
        for head, cell in zip(heads, row, strict=True):
            if not cell:
                raise InvalidValue(f"{path} must have a number in each cell, got none in row {number} of {head!r}")
    columns = [table.numbers(head, [row[index] for row in rows]) for index, head in enumerate(heads)]
    checked = [
        [clipped(metrics[k % len(metrics)], f"column {head!r} of {path}", value) for value in column]
        for k, (head, column) in enumerate(zip(heads, columns, strict=True))
    ]
    arms = [checked[k * len(metrics) : (k + 1) * len(metrics)] for k in range(len(names))]
    return tuple(Rows(tuple(zip(*arm, strict=True))) for arm in arms)


def count_rows(path: str) -> int:
    """The number of items."""
    return len(Data(path).cells([]))


def clipped(metric: Metric, what: str, value: float) -> float:
    """What a value counts as."""
    return metric.clipped(metric.checked(what, value))
