"""Files that logs are read from: CSV, TSV or Parquet, block by block and the wanted columns only."""

import csv
import io
import math
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, NamedTuple

from surefoot.errors import InvalidValue, Unsupported, parsed_number

SEPARATORS = ",;\t|"
BLOCK = 1 << 24  # bytes read at a time; a row, and the names of a million columns, must fit in
ENCODING = "utf-8-sig"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
PARQUET = b"PAR1"
GZIP = b"\x1f\x8b"
MISSING = ("", "na", "n/a", "#na", "#n/a", "nan", "-nan", "null")


class Rows(NamedTuple):
    """What is read of a file, before it is known which form it has."""

    columns: list[str]
    batches: Callable[[list[str], set[str]], Iterator[Any]]  # of the wanted columns, and of those that hold text
    fault: Callable[[list[str]], str]  # what is wrong with the first row whose cells in these columns are no rewards


# The library that reads logs does so ahead, in threads of its own. So it gets the names of files: with Python's file
# objects these threads need the interpreter, and abort the process if it has ended meanwhile.


def copied(copy: Any) -> str:
    """Standard input in a file that can be read twice: once to see what it is."""
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    return str(copy.name)


def in_utf_8(path: str, text: Any) -> str:
    """The file itself, or, if it is in UTF-16, its text."""
    with open(path, "rb") as file:
        if file.read(2) not in UTF_16:
            return path
    with open(path, encoding="utf-16", newline="") as source:
        shutil.copyfileobj(source, text)
    text.flush()
    return str(text.name)


def require_pyarrow(purpose: str) -> None:
    """Say so if pyarrow is not there."""
    if not find_spec("pyarrow"):
        raise Unsupported(f"{purpose} needs pyarrow: pip install 'surefoot[logs]'")


def opened(path: str, place: str) -> Rows:
    """The columns of a file, and how to read them."""
    with open(path, "rb") as file:
        start = file.read(BLOCK)
    if start.startswith(GZIP):
        raise InvalidValue(
            f"{place} is compressed with gzip: unpack it first, or give - for the file and pipe the output of zcat into it"
        )
    rows = opened_parquet(path) if start.startswith(PARQUET) else opened_text(path, start, place)
    if twice := repeated(rows.columns):
        raise InvalidValue(f"each column must have a name of its own, got {twice!r} twice in {place}")
    return rows


def repeated(names: list[str]) -> str | None:
    """The first name that was there before."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def opened_parquet(path: str) -> Rows:
    import pyarrow
    from pyarrow import compute, parquet

    source = parquet.ParquetFile(path)

    def batches(wanted: list[str], texts: set[str]) -> Iterator[Any]:
        for batch in source.iter_batches(columns=wanted):
            for name in texts:
                place, column = batch.schema.get_field_index(name), batch.column(name)
                text = column.cast(pyarrow.string())
                batch = batch.set_column(place, name, compute.dictionary_encode(text))
            yield batch

    return Rows(list(source.schema_arrow.names), batches, lambda columns: "")


def opened_text(path: str, start: bytes, place: str) -> Rows:
    """Columns are separated by commas, semicolons, tabs or bars; numbers then may have decimal commas."""
    text = start.decode(ENCODING, errors="ignore")
    try:
        rows = csv.reader(io.StringIO(text), delimiter=separator(text))
        head = next(rows)
    except (StopIteration, csv.Error) as error:
        raise InvalidValue(f"{place} must begin with a row of column names, got {str(error) or 'nothing'}") from error
    names = [name.strip() for name in head]
    if not all(names) or all(map(is_number, names)):
        raise InvalidValue(f"{place} must begin with a row of column names, got {some(names)}")

    first: list[str] = []
    with suppress(csv.Error):  # of which the reader of the rows will tell
        first = next(filter(None, rows), [])
    truths = {name for name, cell in zip(names, first, strict=False) if cell.strip().lower() in ("true", "false")}

    def batches(wanted: list[str], texts: set[str]) -> Iterator[Any]:
        return read_text(path, names, separator(text), wanted, texts, truths)

    def fault(columns: list[str]) -> str:
        return text_fault(path, names, separator(text), columns)

    return Rows(names, batches, fault)


def text_fault(path: str, names: list[str], separator: str, columns: list[str]) -> str:
    """What is wrong with the first bad row, the one with the names being row 1; found by reading once more, slowly."""
    index = {name: position for position, name in enumerate(names)}
    with open(path, encoding=ENCODING, errors="replace", newline="") as text, suppress(csv.Error):
        for number, row in enumerate(csv.reader(text, delimiter=separator), 1):
            if row and len(row) != len(names):
                return f"row {number:,} has {len(row)} cells, and there are {len(names)} columns"
            for column in columns if row and number > 1 else ():
                cell = row[index[column]].strip()
                value = cell if separator == "," else cell.replace(",", ".")
                if cell.lower() not in MISSING and not (is_number(value) and math.isfinite(parsed_number(value))):
                    return f"row {number:,} has {cell[:80]!r} in column {column!r}"
    return ""


def read_text(
    path: str, names: list[str], separator: str, wanted: list[str], texts: set[str], truths: set[str]
) -> Iterator[Any]:
    """The wanted columns: text in some, true or false in those that begin so, numbers in all others."""
    import pyarrow
    from pyarrow import csv as arrow

    text, value = pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), pyarrow.float64()
    kinds = {name: text if name in texts else pyarrow.bool_() if name in truths else value for name in wanted}

    def reader(decimal_point: str) -> Any:
        return arrow.open_csv(
            path,
            arrow.ReadOptions(column_names=names, skip_rows=1, block_size=BLOCK),
            arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow.ConvertOptions(include_columns=wanted, column_types=kinds, decimal_point=decimal_point),
        )

    if separator == ",":
        return iter(reader("."))
    try:
        return iter(list(reader(".")))  # to the end, because a decimal comma may come late
    except pyarrow.ArrowInvalid:
        return iter(reader(","))


def separator(text: str) -> str:
    """What separates the columns: of the usual characters, the one that is most frequent in the first row."""
    row = text.partition("\n")[0]
    outside = "".join(row.split('"')[::2])  # of quotes
    return max(SEPARATORS, key=outside.count)


def is_number(text: str) -> bool:
    try:
        parsed_number(text)
    except ValueError:
        return False
    return True


def some(names: Sequence[str]) -> str:
    """The names, or the first few of many."""
    return ", ".join(names[:8]) + (f" and {len(names) - 8:,} more" if len(names) > 8 else "")
