"""The results, one row for each entry of the plan, beside what the paper printed."""

import csv
import io
import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

from surefoot.errors import InvalidValue
from surefoot.paper import published
from surefoot.paper.instances import paper_instance
from surefoot.paper.reproduction_plan import Entry
from surefoot.simulation.sweep_results import Run

DELTA = 0.05  # of every instance
FILE = "results.csv"


@dataclass(frozen=True, slots=True)
class Row:
    case: str
    instance: int
    policy: str
    bounds: str
    pulls_mean: float
    pulls_sd: float | None  # None of a single trial
    correct: int
    trials: int
    H_VA: float
    published_mean: float | None
    published_sd: float | None

    @property
    def difficulty(self) -> float:
        """H_VA ln(H_VA / delta)."""
        return self.H_VA * math.log(self.H_VA / DELTA)

    @property
    def limit(self) -> float:
        """How few pulls anyone could need (docs/limit.md)."""
        return limit_pulls(self.case, self.instance)

    @property
    def standard_error(self) -> float:
        """Of the mean; nan of a single trial."""
        return math.nan if self.pulls_sd is None else self.pulls_sd / math.sqrt(self.trials)

    @property
    def deviation(self) -> float:
        """How far the mean is above the published one, in standard errors of the difference; nan where it has none."""
        if self.published_mean is None or self.published_sd is None:
            return math.nan
        theirs = self.published_sd / math.sqrt(published.TRIALS)
        return (self.pulls_mean - self.published_mean) / math.hypot(self.standard_error, theirs)


@cache
def limit_pulls(case: str, instance: int) -> float:
    fewest = paper_instance(case, instance).limit
    assert fewest is not None
    return fewest.pulls(DELTA)


def row(entry: Entry, runs: Iterable[Run]) -> Row:
    instance, runs = entry.problem, list(runs)
    pulls = [run.pulls for run in runs]
    mean, sd = None, None
    if entry.policy == "va-lucb" and entry.bounds == "paper" and entry.case in published.TABLE:
        mean, sd = published.TABLE[entry.case][entry.instance]
    return Row(
        *entry,
        pulls_mean=statistics.fmean(pulls),
        pulls_sd=statistics.stdev(pulls) if len(pulls) > 1 else None,
        correct=sum(instance.is_right(run.status, run.arm) for run in runs),
        trials=len(pulls),
        H_VA=instance.H_VA,
        published_mean=mean,
        published_sd=sd,
    )


@dataclass(frozen=True, slots=True)
class Results:
    """The rows, in the order of the plan."""

    rows: tuple[Row, ...]

    def of(self, case: str | None = None, policy: str = "va-lucb", bounds: str = "paper") -> list[Row]:
        return [row for row in self.rows if (row.policy, row.bounds) == (policy, bounds) and case in (None, row.case)]

    def cases(self) -> Iterator[str]:
        """The cases there are rows of, but for the comparison."""
        yield from (case for case in dict.fromkeys(row.case for row in self.rows) if case != "cmp")

    def to_csv(self) -> str:
        text = io.StringIO()
        writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, self.rows))
        return text.getvalue()

    @classmethod
    def read(cls, path: Path) -> "Results":
        """The results in a file that `to_csv` wrote."""

        def number(text: str) -> float | None:
            return float(text) if text else None

        try:
            with open(path, newline="", encoding="utf-8") as file:
                return cls(
                    tuple(
                        Row(
                            case=line["case"],
                            instance=int(line["instance"]),
                            policy=line["policy"],
                            bounds=line["bounds"],
                            pulls_mean=float(line["pulls_mean"]),
                            pulls_sd=number(line["pulls_sd"]),
                            correct=int(line["correct"]),
                            trials=int(line["trials"]),
                            H_VA=float(line["H_VA"]),
                            published_mean=number(line["published_mean"]),
                            published_sd=number(line["published_sd"]),
                        )
                        for line in csv.DictReader(file)
                    )
                )
        except (OSError, ValueError, KeyError) as error:
            raise InvalidValue(f"{path} must be a readable results.csv of `surefoot paper`, got {error}") from error
