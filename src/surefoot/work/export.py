"""The results of a study as rows of a file."""

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from surefoot.errors import InvalidValue, one_of
from surefoot.study import Study
from surefoot.study.results import by_metric
from surefoot.work.log_files import require_pyarrow
from surefoot.work.spreadsheet import guarded

FORMATS = ("csv", "json", "parquet")


def moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rows(study: Study) -> list[dict[str, Any]]:
    """The results that count, in the order they were asked for: the order in which they enter the bounds.

    There is no pull if nobody asked for it; the time is when it was told, ISO 8601 in UTC.
    """
    on_items = study.problem.items is not None
    return [
        {"pull": row.pull, "arm": row.arm}
        | ({"item": row.item} if on_items else {})
        | {**by_metric(row.result), "time": moment(row.time), "worker": row.worker}
        for row in study.results()
        if row.counted
    ]


def heads(study: Study) -> list[str]:
    item = ["item"] if study.problem.items else []
    return ["pull", "arm", *item, *(metric.name for metric in study.problem.metrics), "time", "worker"]


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
    results = rows(study)
    if format == "csv":
        writer = csv.DictWriter(file, heads(study), lineterminator="\n")
        writer.writerow({head: guarded(head) for head in heads(study)})
        for row in results:
            texts = {head: guarded(cell) for head, cell in row.items() if isinstance(cell, str) and head != "time"}
            writer.writerow(row | texts)
    else:
        decision = study.decision
        head = {"study": name, "status": decision.status, "arm": decision.arm, "problem": study.problem.dumps()}
        json.dump(head | {"rewards": results}, file)
        file.write("\n")
    return len(results)


def write_parquet(study: Study, path: str) -> int:
    require_pyarrow("writing Parquet")
    import pyarrow
    from pyarrow import parquet

    results = rows(study)
    kinds = {"pull": pyarrow.int64(), **dict.fromkeys(("arm", "item", "time", "worker"), pyarrow.string())}
    if study.problem.items and not any(isinstance(row["item"], str) for row in results):
        kinds["item"] = pyarrow.int64()
    schema = pyarrow.schema([(head, kinds.get(head, pyarrow.float64())) for head in heads(study)])
    table = pyarrow.Table.from_pylist(results, schema=schema)
    try:
        parquet.write_table(table, path)
    except OSError as error:
        raise InvalidValue(f"cannot write {path}: {error}") from error
    return len(results)
