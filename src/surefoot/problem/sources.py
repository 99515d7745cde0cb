"""Where one arm's rewards come from: a distribution to simulate, a column of data, a command, a Python callable."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from surefoot.errors import InvalidValue, number, parsed_number
from surefoot.files import read_text
from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Distribution, Normal, Uniform
from surefoot.problem.models import RewardModel


@dataclass(frozen=True, slots=True)
class Data:
    """A column of a CSV file, whose rows are drawn with replacement."""

    path: str
    column: str
    key: ClassVar[str] = "data"

    def read(self) -> Discrete:
        """The column as a distribution; empty cells are left out."""
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


def source(key: str, value: Any, rewards: RewardModel, folder: Path) -> Source:
    """The source that `key = value` of an arm in a problem file means; paths in it start at `folder`."""
    shape, read = SOURCES[key]
    try:
        found = read(value, rewards, folder)
    except InvalidValue:
        raise
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InvalidValue(f"{key} must be {shape}, got {value!r}") from error
    return found


def numbers(name: str, table: Any, *wanted: set[str]) -> dict[str, float]:
    if not isinstance(table, dict) or set(table) not in wanted:
        raise TypeError
    return {key: single(f"{key} of {name}", value) for key, value in table.items()}


def single(name: str, value: Any) -> float:
    if isinstance(value, list):
        raise InvalidValue(f"{name} must be a number, got {value!r}: only `surefoot plan` takes a range of guesses")
    return number(name, value)


def beta(value: Any, rewards: RewardModel, folder: Path) -> Beta:
    return Beta(**numbers("beta", value, {"mean", "variance"}, {"a", "b"}))  # type: ignore[arg-type]


def discrete(value: Any, rewards: RewardModel, folder: Path) -> Discrete:
    if not isinstance(value, dict) or not set(value) <= {"values", "weights"}:
        raise TypeError
    return Discrete(tuple(value["values"]), tuple(value.get("weights", ())))


def command(value: Any, rewards: RewardModel, folder: Path) -> Command:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        raise TypeError
    return Command(tuple(value))


def call(value: Any, rewards: RewardModel, folder: Path) -> Call:
    module, function = value.split(":")
    return Call(f"{module}:{function}")


def data(value: Any, rewards: RewardModel, folder: Path) -> Data:
    path, column = value.rsplit(":", 1)
    return Data(str(folder / path), column)


SOURCES: dict[str, tuple[str, Callable[[Any, RewardModel, Path], Source]]] = {
    "beta": ("{ mean = .., variance = .. } or { a = .., b = .. }", beta),
    "bernoulli": ("a probability", lambda value, *_: Bernoulli(single("bernoulli", value))),
    "normal": (
        "{ mean = .., variance = .. }",
        lambda value, *_: Normal(**numbers("normal", value, {"mean", "variance"})),
    ),
    "uniform": ("[low, high]", lambda value, *_: Uniform(*value)),
    "discrete": ("{ values = [..], weights = [..] }", discrete),
    "command": ('a list of words such as ["./measure.sh", "fast"]', command),
    "call": ('"module:function"', call),
    "data": ('"file.csv:column"', data),
}
