"""Logs of outcomes that somebody else collected: CSV, TSV or Parquet files, or standard input, in file order.

In the long form a row is one reward: a column names the arm, another has the reward. In the wide form each arm is a column.
One library reads them all, block by block and the wanted columns only (docs/decisions/0012 says why).
"""

import csv
import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InvalidValue, Unsupported

SEPARATORS = ",;\t|"
BLOCK = 1 << 24  # bytes read at a time; a row, and the names of a million columns, must fit in
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
PARQUET = b"PAR1"


class Log(NamedTuple):
    names: tuple[str, ...]
    arms: NDArray[np.int64]  # of each reward, in file order, the index of its arm's name
    rewards: NDArray[np.float64]
    skipped: int  # rows, or cells of the wide form, in which a value is missing


class Rows(NamedTuple):
    """What is read of a file, before it is known which form it has."""

    columns: list[str]
    batches: Callable[[list[str], set[str]], Iterator[Any]]  # of the wanted columns, and of those that hold text


def read_log(
    path: str | Path, arm: str | None = None, reward: str | None = None, columns: Sequence[str] | None = None
) -> Log:
    """A log from a file, or from standard input if the path is "-".

    Long form: the columns `arm` and `reward`, which is also what they are called unless you say otherwise. Wide form, if
    the file has neither: all columns, or those in `columns`, each an arm of that name.
    """
    if columns and (arm or reward):
        raise InvalidValue("a log has one column for each arm, or columns arm and reward, got names for both forms")
    with tempfile.TemporaryFile() as spool:
        if str(path) == "-":
            shutil.copyfileobj(sys.stdin.buffer, spool)  # read twice: once to see what it is
            return read_form("standard input", spool, arm, reward, columns)
        try:
            with open(path, "rb") as file:
                return read_form(str(path), file, arm, reward, columns)
        except OSError as error:
            raise InvalidValue(f"the log must be a readable file: {path}: {error.strerror or error}") from error


def require_pyarrow(purpose: str) -> None:
    """Say so if pyarrow is not there."""
    if not find_spec("pyarrow"):
        raise Unsupported(f"{purpose} needs pyarrow: pip install 'surefoot[logs]'")


def read_form(place: str, file: Any, arm: str | None, reward: str | None, columns: Sequence[str] | None) -> Log:
    require_pyarrow("reading logs")
    import pyarrow

    long, wanted = True, [arm or "arm", reward or "reward"]
    try:
        rows = opened(file, place)
        long = bool(arm or reward or (not columns and {"arm", "reward"} <= set(rows.columns)))
        wanted = wanted if long else list(columns or rows.columns)
        for name in wanted:
            if name not in rows.columns:
                raise InvalidValue(f"{place} has no column {name!r}; it has {some(rows.columns)}")
        log = long_form(rows, *wanted) if long else wide_form(rows, wanted)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError) as error:
        hint = "" if long else f"; without columns arm and reward each of {some(wanted)} must hold an arm's rewards"
        raise InvalidValue(f"{place} must hold numbers for rewards: {error}{hint}") from error
    if not len(log.rewards):
        raise InvalidValue(f"{place} must hold at least one reward, got none")
    if not np.isfinite(log.rewards).all():
        worst = log.rewards[~np.isfinite(log.rewards)][0]
        raise InvalidValue(f"{place} must hold finite rewards, got {worst}")
    return log


def long_form(rows: Rows, arm: str, reward: str) -> Log:
    index: dict[str, int] = {}
    arms, rewards, skipped = [], [], 0
    for batch in rows.batches([arm, reward], {arm}):
        values = as_floats(batch.column(reward))
        names = batch.column(arm)
        known = [(name or "").strip() for name in names.dictionary.to_pylist()]
        # New names are numbered in the order of the dictionary, which is that of their first row.
        numbers = np.array([index.setdefault(name, len(index)) if name else -1 for name in known] + [-1])
        codes = names.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        found = numbers[codes]
        present = (found >= 0) & ~np.isnan(values)
        skipped += len(present) - int(present.sum())
        arms.append(found[present])
        rewards.append(values[present])
    return Log(tuple(index), joined(arms, np.int64), joined(rewards, np.float64), skipped)


def wide_form(rows: Rows, names: list[str]) -> Log:
    arms, rewards, skipped = [], [], 0
    for batch in rows.batches(names, set()):
        values = np.stack([as_floats(batch.column(name)) for name in names], axis=1).ravel()
        present = ~np.isnan(values)
        skipped += len(present) - int(present.sum())
        arms.append(np.tile(np.arange(len(names)), batch.num_rows)[present])
        rewards.append(values[present])
    return Log(tuple(names), joined(arms, np.int64), joined(rewards, np.float64), skipped)


def as_floats(column: Any) -> NDArray[np.float64]:
    """A column's numbers, NaN where one is missing."""
    import pyarrow

    found: NDArray[np.float64] = column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
    return found


def joined(pieces: list[Any], kind: type) -> Any:
    return np.concatenate([np.empty(0, kind), *pieces])


def opened(file: Any, place: str) -> Rows:
    """The columns of a file, and how to read them."""
    file.seek(0)
    start = file.read(len(PARQUET))
    file.seek(0)
    return opened_parquet(file) if start == PARQUET else opened_text(file, place)


def opened_parquet(file: Any) -> Rows:
    import pyarrow
    from pyarrow import compute, parquet

    source = parquet.ParquetFile(file)

    def batches(wanted: list[str], texts: set[str]) -> Iterator[Any]:
        for batch in source.iter_batches(columns=wanted):
            for name in texts:
                place, column = batch.schema.get_field_index(name), batch.column(name)
                text = column.cast(pyarrow.string())
                batch = batch.set_column(place, name, compute.dictionary_encode(text))
            yield batch

    return Rows(list(source.schema_arrow.names), batches)


def opened_text(file: Any, place: str) -> Rows:
    """Columns are separated by commas, semicolons, tabs or bars; numbers then may have decimal commas."""
    start = file.read(BLOCK)
    encoding = "utf-16" if start.startswith(UTF_16) else "utf-8-sig"
    try:
        head = next(
            csv.reader(io.StringIO(start.decode(encoding, errors="ignore")), delimiter=separator(start, encoding))
        )
    except (StopIteration, csv.Error) as error:
        raise InvalidValue(f"{place} must begin with a row of column names, got {str(error) or 'nothing'}") from error
    names = [name.strip() for name in head]
    if not all(names) or all(map(is_number, names)):
        raise InvalidValue(f"{place} must begin with a row of column names, got {some(names)}")
    if len(set(names)) < len(names):
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise InvalidValue(f"each column must have a name of its own, got {twice!r} twice in {place}")

    def batches(wanted: list[str], texts: set[str]) -> Iterator[Any]:
        return read_text(file, names, separator(start, encoding), encoding, wanted, texts)

    return Rows(names, batches)


def read_text(
    file: Any, names: list[str], separator: str, encoding: str, wanted: list[str], texts: set[str]
) -> Iterator[Any]:
    import pyarrow
    from pyarrow import csv as arrow

    text, value = pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), pyarrow.float64()
    kinds = {name: text if name in texts else value for name in wanted}

    def reader(decimal_point: str) -> Any:
        file.seek(0)
        return arrow.open_csv(
            file,
            arrow.ReadOptions(
                column_names=names, skip_rows=1, block_size=BLOCK, encoding=encoding.removesuffix("-sig")
            ),
            arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow.ConvertOptions(include_columns=wanted, column_types=kinds, decimal_point=decimal_point),
        )

    if separator == ",":
        return iter(reader("."))
    try:
        return iter(list(reader(".")))  # to the end, because a decimal comma may come late
    except pyarrow.ArrowInvalid:
        return iter(reader(","))


def separator(start: bytes, encoding: str) -> str:
    """What separates the columns: of the usual characters, the one that is most frequent in the first row."""
    row = start.decode(encoding, errors="ignore").partition("\n")[0]
    outside = "".join(row.split('"')[::2])  # of quotes
    return max(SEPARATORS, key=outside.count)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def some(names: Sequence[str]) -> str:
    """The names, or the first few of many."""
    return ", ".join(names[:8]) + (f" and {len(names) - 8:,} more" if len(names) > 8 else "")
