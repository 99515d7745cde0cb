"""The results of a study, a row for each, as its journal has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from surefoot import display
from surefoot.errors import Unsupported
from surefoot.problem import Problem
from surefoot.problem.metrics import REWARD, Result
from surefoot.storage import Event
from surefoot.study.event_results import values

ENDS = 10  # rows that are shown of each end


class PullResult(NamedTuple):
    """One result of a study: its pull, its arm, and what came."""

    pull: int | None  # None: nobody asked for it
    arm: str
    result: Any  # a number; or a number per metric, by its name
    counted: bool  # not if it came too late, after its pull was given up or the study was decided
    worker: str | None  # who asked, if they said so
    time: datetime  # when it was told, in UTC


class Results(tuple[PullResult, ...]):
    """One row for each result, in the order in which pulls were asked for. It prints as a table."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("a DataFrame needs pandas: pip install pandas") from error
        return pandas.DataFrame([flat(row) for row in self], columns=list(self.heads))

    @property
    def heads(self) -> tuple[str, ...]:
        """The columns: where results have several metrics, one for each."""
        before, after = PullResult._fields[:2], PullResult._fields[3:]
        result = self[0].result if self else 0.0
        return (*before, *(result if isinstance(result, Mapping) else ("result",)), *after)

    def __str__(self) -> str:
        numbers = range(2, len(self.heads) - 3)
        return "\n".join(display.columns([self.heads, *shown(self, len(self.heads))], right=(0, *numbers)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return display.html_table(self.heads, shown(self, len(self.heads)))


def by_metric(result: Result) -> Mapping[str, float]:
    """A number for each metric, by its name."""
    return result if isinstance(result, Mapping) else {REWARD: result}


def flat(row: PullResult) -> tuple[Any, ...]:
    """A cell for each column."""
    return (row.pull, row.arm, *by_metric(row.result).values(), row.counted, row.worker, row.time)


def shown(rows: Sequence[PullResult], width: int) -> Iterator[tuple[str, ...]]:
    """The rows as text; of many, those at both ends."""
    if len(rows) > 2 * ENDS:
        yield from shown(rows[:ENDS], width)
        yield ("…", f"{len(rows) - 2 * ENDS:,} more", *[""] * (width - 2))
        rows = rows[-ENDS:]
    for row in rows:
        pull, arm, *numbers, _, worker, time = flat(row)
        counted = "yes" if row.counted else "no"
        cells = ("" if pull is None else str(pull), arm, *(f"{number:.6g}" for number in numbers), counted)
        yield (*cells, worker or "", f"{time:%Y-%m-%d %H:%M:%S}")


def results(problem: Problem, journal: Iterable[Event]) -> Results:
    """The results in a journal, in the order in which they enter the bounds: that of asking."""
    asked = dict[int, tuple[int, int, str | None]]()
    rows = list[tuple[int, PullResult]]()
    for position, event in enumerate(journal):
        match event["type"]:
            case "asked":
                for number, arm in enumerate(event["arms"], event["pull"]):
                    asked[number] = position, arm, event.get("worker")
                continue
            case "told":
                place, arm, worker = asked[event["pull"]]
            case "recorded":
                place, arm, worker = position, event["arm"], None
            case _:
                continue
        counted = not event.get("late", False)
        moment = datetime.fromtimestamp(event["time"], UTC)
        result = problem.result(values(event))
        rows.append((place, PullResult(event.get("pull"), problem.names[arm], result, counted, worker, moment)))
    rows.sort(key=lambda row: (row[0], row[1].pull or 0))
    return Results(row for _, row in rows)
