"""The results of a study, a row for each, as its journal has them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from surefoot import display
from surefoot.errors import Unsupported
from surefoot.storage import Event

ENDS = 10  # rows that are shown of each end


class PullResult(NamedTuple):
    """What a pull returned."""

    pull: int | None  # None: nobody asked for it
    arm: str
    result: float
    counted: bool  # not if it came too late, after its pull was given up or the study was decided
    worker: str | None  # who asked, if they said so
    time: datetime  # when it was told, in UTC


class Results(tuple[PullResult, ...]):
    """A row for each result, in the order in which pulls were asked for; prints as a table."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("a DataFrame needs pandas: pip install pandas") from error
        return pandas.DataFrame(list(self), columns=list(PullResult._fields))

    def __str__(self) -> str:
        return "\n".join(display.columns([PullResult._fields, *shown(self)], right=(0, 2)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return display.html_table(PullResult._fields, shown(self))


def shown(rows: Sequence[PullResult]) -> Iterator[tuple[str, ...]]:
    """The rows as text; of many, those at both ends."""
    if len(rows) > 2 * ENDS:
        yield from shown(rows[:ENDS])
        yield ("…", f"{len(rows) - 2 * ENDS:,} more", "", "", "", "")
        rows = rows[-ENDS:]
    for row in rows:
        pull = "" if row.pull is None else str(row.pull)
        counted = "yes" if row.counted else "no"
        yield pull, row.arm, f"{row.result:.6g}", counted, row.worker or "", f"{row.time:%Y-%m-%d %H:%M:%S}"


def results(names: Sequence[str], journal: Iterable[Event]) -> Results:
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
        rows.append((place, PullResult(event.get("pull"), names[arm], event["reward"], counted, worker, moment)))
    rows.sort(key=lambda row: (row[0], row[1].pull or 0))
    return Results(row for _, row in rows)
