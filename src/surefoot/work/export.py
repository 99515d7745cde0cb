"""The rewards of a study as rows of a file."""

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple

from surefoot.errors import InvalidValue, one_of
from surefoot.study import Study
from surefoot.work.logs import require_pyarrow
from surefoot.work.spreadsheet import guarded

FORMATS = ("csv", "json", "parquet")


class Row(NamedTuple):
    """A reward that counts; no pull if nobody asked for it."""

    pull: int | None
    arm: str
    reward: float
    time: str  # when it was told, ISO 8601 in UTC
    worker: str | None


def moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rows(study: Study) -> list[Row]:
    """The rewards that count, in the order they were asked for: the order in which they enter the bounds."""
    found = study.results()
    return [Row(row.pull, row.arm, row.result, moment(row.time), row.worker) for row in found if row.counted]


def chosen(format: str | None, out: str | None) -> str:
    """The format asked for, or the one that the file's name says; CSV if that says nothing."""
    if format is not None:
        return one_of("format", format, FORMATS)
    suffix = Path(out).suffix.lower() if out else ""
    if suffix.removeprefix(".") not in ("", *FORMATS):
        raise InvalidValue(f"the file must end in .csv, .json or .parquet, or --format say what it is, got {out}")
    return suffix.removeprefix(".") or "csv"


def write_text(study: Study, name: str, format: str, file: IO[str]) -> int:
    """Write CSV, or one JSON object with the problem and the decision too; how many rewards that was."""
    found = rows(study)
    if format == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(row._replace(arm=guarded(row.arm), worker=row.worker and guarded(row.worker)) for row in found)
    else:
        decision = study.decision
        head = {"study": name, "status": decision.status, "arm": decision.arm, "problem": study.problem.dumps()}
        json.dump(head | {"rewards": [row._asdict() for row in found]}, file)
        file.write("\n")
    return len(found)


def write_parquet(study: Study, path: str) -> int:
    require_pyarrow("writing Parquet")
    import pyarrow
    from pyarrow import parquet

    found = rows(study)
    kinds = (pyarrow.int64(), pyarrow.string(), pyarrow.float64(), pyarrow.string(), pyarrow.string())
    schema = pyarrow.schema(list(zip(Row._fields, kinds, strict=True)))
    table = pyarrow.Table.from_pylist([row._asdict() for row in found], schema=schema)
    try:
        parquet.write_table(table, path)
    except OSError as error:
        raise InvalidValue(f"cannot write {path}: {error}") from error
    return len(found)
