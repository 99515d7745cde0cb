"""The results of a study as CSV: what the service sends, and what its client reads."""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime

from surefoot.errors import StorageFailed
from surefoot.problem import Problem
from surefoot.study.results import PullResult, Results, by_metric
from surefoot.work.spreadsheet import guarded, unguarded

CHUNK = 1_000  # rows
YES, NO = "true", "false"


def write_csv(problem: Problem, results: Results) -> Iterator[str]:
    """The text, some rows at a time, with a column for each metric. Names that a spreadsheet would compute are guarded."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    on_items = problem.items is not None
    item = ["item"] if on_items else []
    writer.writerow(["pull", "arm", *item, *map(guarded, names(problem)), "counted", "worker", "time"])
    for number, row in enumerate(results, 1):
        worker = row.worker and guarded(row.worker)
        counted, time = YES if row.counted else NO, row.time.isoformat()
        on = (guarded(row.item) if isinstance(row.item, str) else row.item,) if on_items else ()
        writer.writerow((row.pull, guarded(row.arm), *on, *by_metric(row.result).values(), counted, worker, time))
        if number % CHUNK == 0:
            yield file.getvalue()
            file.seek(0)
            file.truncate()
    yield file.getvalue()


def read_csv(problem: Problem, text: str) -> Results:
    """The results in such a text; columns that are not known are left out: a newer service may have more."""
    try:
        return Results(
            PullResult(
                int(row["pull"]) if row["pull"] else None,
                unguarded(row["arm"]),
                problem.result(tuple(float(row[guarded(name)]) for name in names(problem))),
                row["counted"] == YES,
                unguarded(row["worker"]) or None,
                datetime.fromisoformat(row["time"]),
                item_in(problem, row.get("item", "")),
            )
            for row in csv.DictReader(io.StringIO(text, newline=""))
        )
    except (KeyError, ValueError, TypeError) as error:
        raise StorageFailed(f"the results that the service sent cannot be read: {error}") from error


def names(problem: Problem) -> Sequence[str]:
    return [metric.name for metric in problem.metrics]


def item_in(problem: Problem, cell: str) -> str | int | None:
    """An item, from its cell: a number where items have no names."""
    if not cell:
        return None
    return unguarded(cell) if problem.items and problem.items.digest else int(cell)
