"""Where one arm's rewards come from: a distribution to simulate, a column of data, a command, a Python callable."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from surefoot.errors import InvalidValue, parsed_number
from surefoot.files import read_text
from surefoot.problem.distributions import DISTRIBUTIONS, Discrete, Distribution


@dataclass(frozen=True, slots=True)
class Data:
    """A column of a CSV file, whose rows are drawn with replacement."""

    path: str
    column: str
    key: ClassVar[str] = "data"

    def read(self) -> Discrete:
        """The column as a distribution; empty cells are left out."""
        import csv

        rows = csv.DictReader(io.StringIO(read_text(self.path, "data must name"), newline=""))
        try:
            columns = list(rows.fieldnames or ())
            if self.column not in columns:
                raise InvalidValue(f"{self.path} must have a column {self.column!r}, got {', '.join(columns)}")
            if columns.count(self.column) > 1:
                raise InvalidValue(
                    f"{self.path} must have one column {self.column!r}, got {columns.count(self.column)}"
                )
            cells = [cell for row in rows if (cell := (row[self.column] or "").strip())]
        except csv.Error as error:
            raise InvalidValue(f"data must name a CSV file: {self.path}: {error}") from error
        try:
            return Discrete(tuple(map(parsed_number, cells)))
        except ValueError as error:
            raise InvalidValue(f"column {self.column!r} of {self.path} must hold finite numbers: {error}") from error

    def plain(self) -> str:
        return f"{self.path}:{self.column}"


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run; its last line of output is the reward."""

    arguments: tuple[str, ...]
    key: ClassVar[str] = "command"

    def plain(self) -> list[str]:
        return list(self.arguments)


@dataclass(frozen=True, slots=True)
class Call:
    """A Python callable, `module:function`, that returns the reward."""

    target: str
    key: ClassVar[str] = "call"

    def plain(self) -> str:
        return self.target


Source: TypeAlias = Distribution | Data | Command | Call
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
    path, column = value.rsplit(":", 1)
    return Data(str(folder / path), column)


def of_distribution(kind: type[Distribution]) -> Reader:
    return lambda value, folder: kind.read(value)


# By the name in a problem file: what stands after it, in words, and what reads that.
SOURCES: dict[str, tuple[str, Reader]] = {
    **{key: (kind.form, of_distribution(kind)) for key, kind in DISTRIBUTIONS.items()},
    "command": ('a list of words such as ["./measure.sh", "fast"]', command),
    "call": ('"module:function"', call),
    "data": ('"file.csv:column"', data),
}
