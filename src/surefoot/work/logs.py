"""Logs of outcomes that somebody else collected: CSV, TSV or Parquet files, or standard input, in file order.

In the long form a row is one result: a column names the arm, others have a number per metric. In the wide form each arm is a
column; of several metrics each has one, called `arm:metric`.
One library reads them all, block by block and the wanted columns only (docs/decisions/0012 says why).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InvalidValue, nearest
from surefoot.problem.metrics import REWARD
from surefoot.work.log_files import Rows, copied, in_utf_8, opened, repeated, require_pyarrow, some
from surefoot.work.spreadsheet import unguarded

ITEM_IF_THERE = "item?"  # the column of that name, without the question mark, if there is one


class Log(NamedTuple):
    names: tuple[str, ...]
    arms: NDArray[np.int64]  # of each reward, in file order, the index of its arm's name
    rewards: NDArray[np.float64]
    skipped: int  # rows, or cells of the wide form, in which a value is missing
    rows: NDArray[np.int64] | None = None  # of the wide form, or of one with items: the row, or item, of each reward
    values: NDArray[np.float64] | None = None  # of several metrics, a column for each; rewards are those of the first
    items: tuple[str, ...] = ()  # what the arms were tried on, if a column names it
    read: int = 0  # rows of the wide form, those without a reward among them

    @property
    def results(self) -> NDArray[np.float64]:
        """A row for each result, a column for each metric."""
        return self.rewards[:, np.newaxis] if self.values is None else self.values


def read_log(
    path: str | Path,
    arm: str | None = None,
    reward: str | None = None,
    columns: Sequence[str] | None = None,
    metrics: Sequence[str] = (REWARD,),
    item: str | None = None,
) -> Log:
    """A log from a file, or from standard input if the path is "-".

    Long form: the columns `arm` and `reward`, which is also what they are called unless you say otherwise. Wide form, if
    the file has neither: all columns, or those in `columns`, each an arm of that name. Metrics other than the one called
    reward have columns of their names. The column `item` names what an arm was tried on.
    """
    if reward and len(metrics) > 1:
        raise InvalidValue(
            f"each of the metrics {', '.join(metrics)} is a column of its name, got --reward {reward} too"
        )
    if columns and (arm or reward):
        raise InvalidValue(
            "a log has either one column for each arm or the columns arm and reward, got names for both forms"
        )
    place = "standard input" if str(path) == "-" else str(path)
    with NamedTemporaryFile() as copy, NamedTemporaryFile("w", encoding="utf-8", newline="") as text:
        try:
            settled = in_utf_8(copied(copy) if str(path) == "-" else str(path), text)
        except OSError as error:
            raise InvalidValue(f"the log must be a readable file: {place}: {error.strerror or error}") from error
        except UnicodeError as error:
            raise InvalidValue(f"{place} begins like text in UTF-16, but is not: {error}") from error
        return read_form(place, settled, arm, reward, list(metrics), columns, item)


class Form(NamedTuple):
    """The columns to read, and what they are."""

    arm: str  # the column that names the arm; none in the wide form
    names: list[str]  # of the arms, in the wide form
    metrics: list[str]
    item: str = ""  # the column that names the item

    @property
    def rewards(self) -> list[str]:
        """The columns that must hold numbers: in the wide form all metrics of one arm after those of another."""
        if self.arm:
            return self.metrics
        return [wide_column(name, metric, self.metrics) for name in self.names for metric in self.metrics]

    @property
    def columns(self) -> list[str]:
        return [*self.texts, *self.rewards]

    @property
    def texts(self) -> list[str]:
        """The columns that hold names."""
        return [name for name in (self.arm, self.item) if name]

    @property
    def hint(self) -> str:
        """For whoever did not mean every column to be an arm."""
        if self.arm or len(self.metrics) > 1:
            return ""
        columns, metric = some(self.columns), self.metrics[0]
        hint = f"; it has no columns arm and {metric}, so each of {columns} must hold the results of one arm"
        if self.item or len(self.names) < 3:
            return hint
        return f"{hint}. If one column names the items that all arms were tried on, add --design items --item COLUMN"


def wide_column(name: str, metric: str, metrics: list[str]) -> str:
    return name if len(metrics) == 1 else f"{name}:{metric}"


def read_form(
    place: str,
    path: str,
    arm: str | None,
    reward: str | None,
    metrics: list[str],
    columns: Sequence[str] | None,
    item: str | None,
) -> Log:
    """The log in a file that messages call `place`, in the form that its columns, or those named, have."""
    require_pyarrow("reading logs")
    with refused_in_our_words(place):
        rows = opened(path, place)
    if item == ITEM_IF_THERE:
        item = "item" if "item" in rows.columns else None
    present = [name for name in rows.columns if name != item]
    form = form_of(place, present, arm, reward, metrics, columns)._replace(item=item or "")
    check_columns(place, rows.columns, form.columns)

    def fault() -> str:
        return rows.fault(form.rewards)

    with refused_in_our_words(place, fault, form.hint):
        log = long_form(rows, form) if form.arm else wide_form(rows, form)
    check_rewards(place, log.results, fault)
    return log


@contextmanager
def refused_in_our_words(place: str, fault: Callable[[], str] = lambda: "", hint: str = "") -> Iterator[None]:
    """What the library that reads says of a file, as a sentence; `fault` says it better where it can."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError) as error:
        raise InvalidValue(f"{place} must have numbers as results: {fault() or error}{hint}") from error
    except (pyarrow.ArrowException, OSError, UnicodeError) as error:
        raise InvalidValue(f"{place} must be CSV, TSV or Parquet that can be read: {error}") from error


def form_of(
    place: str,
    present: list[str],
    arm: str | None,
    reward: str | None,
    metrics: list[str],
    columns: Sequence[str] | None,
) -> Form:
    """Long if its columns are named, or are there and no others are named; else wide."""
    if arm or reward or (not columns and {"arm", *metrics} <= set(present)):
        return Form(arm or "arm", [], [reward] if reward else metrics)
    if len(metrics) == 1:
        return Form("", list(columns or present), metrics)
    pairs = [column.rpartition(":") for column in present]
    names = list(columns or dict.fromkeys(name for name, _, metric in pairs if name and metric in metrics))
    if not names:
        wanted, example = ", ".join(["arm", *metrics]), f"A:{metrics[0]}"
        raise InvalidValue(
            f"{place} must have the columns {wanted}; or a column for each arm and metric, such as {example}; "
            f"it has {some(present)}"
        )
    return Form("", names, metrics)


def check_columns(place: str, present: list[str], wanted: list[str]) -> None:
    known = set(present)  # there may be very many
    for name in wanted:
        if name not in known:
            raise InvalidValue(f"{place} has no column {name!r}; it has {some(present)}{nearest(name, present)}")
    if twice := repeated(wanted):
        raise InvalidValue(f"each column must be named once, got {twice!r} twice")


def check_rewards(place: str, rewards: NDArray[np.float64], fault: Callable[[], str]) -> None:
    if not len(rewards):
        raise InvalidValue(f"{place} must have at least one result, got none")
    infinite = rewards[~np.isfinite(rewards)]
    if len(infinite):
        raise InvalidValue(f"{place} must have finite numbers as results: {fault() or f'it has {infinite[0]}'}")


def long_form(rows: Rows, form: Form) -> Log:
    index: dict[str, int] = {}
    items: dict[str, int] = {}
    arms, results, places, skipped = [], [], [], 0
    for batch in rows.batches(form.columns, set(form.texts)):
        values, row_arms = as_table(batch, form.rewards), numbered(batch.column(form.arm), index)
        present = (row_arms >= 0) & there(values)
        if form.item:
            row_items = numbered(batch.column(form.item), items)
            present &= row_items >= 0
            places.append(row_items[present])
        skipped += len(present) - int(present.sum())
        arms.append(row_arms[present])
        results.append(values[present])
    log = as_log(tuple(index), arms, results, skipped, len(form.metrics))
    return log._replace(rows=joined(places, np.int64), items=tuple(items)) if form.item else log


def numbered(names: Any, index: dict[str, int]) -> NDArray[np.int64]:
    """The number of each row's name in the index, to which new ones are added in the order of their first row; -1: none."""
    known = [unguarded((name or "").strip()) for name in names.dictionary.to_pylist()]
    numbers = np.array([index.setdefault(name, len(index)) if name else -1 for name in known] + [-1])
    codes: NDArray[np.int64] = names.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    return numbers[codes]


def wide_form(rows: Rows, form: Form) -> Log:
    arms, results, places, skipped, read, count = [], [], [], 0, 0, len(form.names)
    items: list[str] = []
    for batch in rows.batches(form.columns, set(form.texts)):
        values = as_table(batch, form.rewards).reshape(-1, len(form.metrics))
        if form.item:
            items += [unguarded((name or "").strip()) for name in batch.column(form.item).to_pylist()]
        present = there(values)
        skipped += len(present) - int(present.sum())
        arms.append(np.tile(np.arange(count), batch.num_rows)[present])
        results.append(values[present])
        places.append(np.repeat(np.arange(read, read + batch.num_rows), count)[present])
        read += batch.num_rows
    log = as_log(tuple(form.names), arms, results, skipped, len(form.metrics))
    return log._replace(rows=joined(places, np.int64), items=tuple(items), read=read)


def as_log(names: tuple[str, ...], arms: list[Any], results: list[Any], skipped: int, metrics: int) -> Log:
    values = np.concatenate([np.empty((0, metrics)), *results])
    several = values if metrics > 1 else None
    return Log(names, joined(arms, np.int64), np.ascontiguousarray(values[:, 0]), skipped, values=several)


def there(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The rows in which nothing is missing."""
    return np.logical_not(np.isnan(values).any(axis=1))


def as_table(batch: Any, columns: list[str]) -> NDArray[np.float64]:
    return np.stack([as_floats(batch.column(name)) for name in columns], axis=1)


def as_floats(column: Any) -> NDArray[np.float64]:
    """A column's numbers, NaN where one is missing."""
    import pyarrow

    floats: NDArray[np.float64] = column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
    return floats


def joined(pieces: list[Any], kind: type) -> Any:
    return np.concatenate([np.empty(0, kind), *pieces])
