"""Where one arm's results come from: distributions to simulate, columns of data, a command, a Python callable."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from surefoot.errors import InvalidValue, nearest, parsed_number
from surefoot.files import read_text
from surefoot.problem.distributions import DISTRIBUTIONS, Beta, Discrete, Distribution
from surefoot.problem.metrics import Metric, Values


@dataclass(frozen=True, slots=True)
class PerMetric:
    """A distribution for each metric, drawn independently of each other."""

    distributions: tuple[tuple[str, Distribution], ...]
    key: ClassVar[str] = "metrics"

    @classmethod
    def of(cls, given: Mapping[str, Distribution]) -> "PerMetric":
        for name, distribution in given.items():
            if not isinstance(distribution, Distribution):
                raise InvalidValue(f"metric {name!r} must have a distribution such as Beta(...), got {distribution!r}")
        return cls(tuple(given.items()))

    def fitted_to(self, metrics: Sequence[Metric]) -> "PerMetric":
        """The same in the metrics' order; refused if one is missing, or one too many there."""
        given, names = dict(self.distributions), [metric.name for metric in metrics]
        if set(given) != set(names):
            raise InvalidValue(
                f"each of the metrics {', '.join(map(repr, names))} must have a distribution, got those of "
                f"{', '.join(map(repr, given)) or 'none'}"
            )
        return PerMetric(tuple((metric.name, given[metric.name].fitted(metric.model)) for metric in metrics))

    def plain(self) -> dict[str, Any]:
        return {name: {distribution.key: distribution.plain()} for name, distribution in self.distributions}


@dataclass(frozen=True, slots=True)
class Rows:
    """Results that were seen, one of which is drawn with replacement: metrics keep what they have to do with each other."""

    values: tuple[Values, ...]

    def column(self, index: int) -> Discrete:
        return Discrete(tuple(row[index] for row in self.values))


@dataclass(frozen=True, slots=True)
class Data:
    """A CSV file, whose rows are drawn with replacement: a column of it, or columns named like the metrics."""

    path: str
    column: str = ""
    key: ClassVar[str] = "data"

    def fitted_to(self, metrics: Sequence[Metric]) -> "Data":
        """The same; refused if one column is named and there are several metrics."""
        if self.column and len(metrics) > 1:
            raise InvalidValue(
                f"data must name the file alone, whose columns are {', '.join(metric.name for metric in metrics)}, "
                f"got the column {self.column!r} too"
            )
        return self if self.column or len(metrics) > 1 else Data(self.path, metrics[0].name)

    def read(self) -> Discrete:
        """The column as a distribution; empty cells are left out."""
        cells = [cell for (cell,) in self.cells([self.column]) if cell]
        return Discrete(tuple(self.numbers(self.column, cells)))

    def rows(self, metrics: Sequence[Metric]) -> Rows:
        """The columns named like the metrics; a row with an empty cell is left out."""
        names = [metric.name for metric in metrics]
        full = [row for row in self.cells(names) if all(row)]
        columns = [self.numbers(name, [row[index] for row in full]) for index, name in enumerate(names)]
        if not full:
            raise InvalidValue(f"{self.path} must have a row with a number for each of {', '.join(names)}, got none")
        checked = [
            [metric.clipped(metric.checked(f"column {metric.name!r} of {self.path}", value)) for value in column]
            for metric, column in zip(metrics, columns, strict=True)
        ]
        return Rows(tuple(zip(*checked, strict=True)))

    def cells(self, names: Sequence[str]) -> list[list[str]]:
        """The cells of some columns, row by row."""
        import csv

        rows = csv.DictReader(io.StringIO(read_text(self.path, "data must name"), newline=""))
        try:
            columns = list(rows.fieldnames or ())
            for name in names:
                if name not in columns:
                    raise InvalidValue(f"{self.path} must have a column {name!r}, got {', '.join(columns)}")
                if columns.count(name) > 1:
                    raise InvalidValue(f"{self.path} must have one column {name!r}, got {columns.count(name)}")
            return [[(row[name] or "").strip() for name in names] for row in rows]
        except csv.Error as error:
            raise InvalidValue(f"data must name a CSV file: {self.path}: {error}") from error

    def numbers(self, name: str, cells: Iterable[str]) -> list[float]:
        try:
            return list(map(parsed_number, cells))
        except ValueError as error:
            raise InvalidValue(f"column {name!r} of {self.path} must hold finite numbers: {error}") from error

    def plain(self) -> str:
        return f"{self.path}:{self.column}" if self.column else self.path


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run; its last line of output is the result: a number, or a JSON object with a number per metric."""

    arguments: tuple[str, ...]
    key: ClassVar[str] = "command"

    def plain(self) -> list[str]:
        return list(self.arguments)


@dataclass(frozen=True, slots=True)
class Call:
    """A Python callable, `module:function`, that returns the result."""

    target: str
    key: ClassVar[str] = "call"

    def plain(self) -> str:
        return self.target


Source: TypeAlias = Distribution | PerMetric | Data | Command | Call
Reader: TypeAlias = Callable[[Any, Path], Source]


def source(key: str, value: Any, folder: Path) -> Source:
    """The source that `key = value` of an arm in a problem file means; paths in it start at `folder`."""
    shape, read = SOURCES[key]
    try:
        found = read(value, folder)
    except InvalidValue:
        raise
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InvalidValue(f"{key} must be {shape}, got {value!r}") from error
    return found


def command(value: Any, folder: Path) -> Command:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        raise TypeError
    return Command(tuple(value))


def call(value: Any, folder: Path) -> Call:
    module, function = value.split(":")
    return Call(f"{module}:{function}")


def data(value: Any, folder: Path) -> Data:
    path, _, column = value.rpartition(":")
    return Data(str(folder / path), column) if path else Data(str(folder / column))


def per_metric(value: Any, folder: Path) -> PerMetric:
    if not isinstance(value, dict) or not value:
        raise TypeError
    found = dict[str, Distribution]()
    for name, table in value.items():
        if not isinstance(table, dict) or len(table) != 1:
            raise InvalidValue(f"metric {name!r} must have one distribution, such as beta = {Beta.form}, got {table!r}")
        ((key, given),) = table.items()
        if key not in DISTRIBUTIONS:
            known = ", ".join(DISTRIBUTIONS)
            raise InvalidValue(
                f"metric {name!r} must have one of the distributions {known}, got {key!r}{nearest(key, DISTRIBUTIONS)}"
            )
        made = source(key, given, folder)
        if isinstance(made, Distribution):
            found[name] = made
    return PerMetric.of(found)


def of_distribution(kind: type[Distribution]) -> Reader:
    return lambda value, folder: kind.read(value)


# By the name in a problem file: what stands after it, in words, and what reads that.
SOURCES: dict[str, tuple[str, Reader]] = {
    **{key: (kind.form, of_distribution(kind)) for key, kind in DISTRIBUTIONS.items()},
    "command": ('a list of words such as ["./measure.sh", "fast"]', command),
    "call": ('"module:function"', call),
    "data": ('"file.csv:column", or "file.csv" with columns named like the metrics', data),
    "metrics": ("a distribution for each metric, such as metrics.cost.uniform = [0, 1]", per_metric),
}
