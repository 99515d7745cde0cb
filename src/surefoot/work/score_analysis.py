"""What a table of scores decides: arms that were tried on the same items (docs/analyze.md, tables of items).

The policy goes through the table as a study would, cell by cell, and stops when it can decide: so there is a share of the
cells that it needed. An empty cell is passed over, as if that pull had been abandoned.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.problem.items import MOST_NAMES, ON_ITEMS
from surefoot.study.engine import Engine, Wanted
from surefoot.study.views.decision import Decision, decision
from surefoot.study.views.in_play import contest, foremost, in_play
from surefoot.study.views.notices import Notice, notices
from surefoot.study.views.table import Table, table
from surefoot.work.analysis import check_range, of_arms
from surefoot.work.logs import Log

MOST_CELLS = 20  # that are named to be filled next


class Cell(NamedTuple):
    arm: str
    item: str | int


class ScoreAnalysis:
    """A table of scores, gone through: the decision, the table of arms, the share of cells it took, the cells to fill next.

    :param log: with the item of each result: the row of a table, or its number among `log.items`.
    :param finite: is the question about exactly these items, as if each arm were tried once on each?
    :param seed: of the order of a finite list in which no cell is empty.

    >>> import numpy as np
    >>> cells = np.arange(400)
    >>> log = Log(("A", "B"), cells % 2, np.where(cells % 2, 0.3, 0.7), 0, cells // 2)
    >>> analysis = ScoreAnalysis(log, rewards=(0, 1))
    >>> analysis.decision.arm, analysis.share < 0.5
    ('A', True)
    """

    def __init__(
        self, log: Log, *, problem: Problem | None = None, finite: bool | None = None, seed: int = 0, **fields: Any
    ) -> None:
        if log.rows is None:
            raise InvalidValue("a log with design items must name the item of each result: give --item COL")
        count = len(log.items) or max(log.read, int(log.rows.max(initial=-1)) + 1)
        named = log.items if 0 < len(log.items) <= MOST_NAMES and all(log.items) else count
        fields |= {"design": ON_ITEMS, "items": named, "finite": finite}
        claimed = problem.items.finite if problem and problem.items and finite is None else bool(finite)
        self.problem = Problem.of(log.names if problem is None else problem, **fields | {"finite": claimed})
        self.problem.check_new()
        self.log = log = of_arms(self.problem, log)
        check_range(self.problem, log)
        self.cells = cells_of(log, count)
        self.missing: NDArray[np.bool_] = np.asarray(np.isnan(self.cells).any(axis=2))
        self.drawn = claimed and not self.missing.any()
        self.seed, self.engine = seed, Engine(self.problem, "top-two", "tight", seed)
        if not self.drawn:
            self.engine.order = np.arange(count)
        self.passed = self.go_through()

    def go_through(self) -> int:
        """Tell the engine what it asks for, until it decides or there is nothing left; how many cells were empty."""
        engine, inward, passed, number = self.engine, self.problem.inward, 0, 0
        while engine.hand_out(number := number + 1, Wanted(1)):
            asked = engine.in_flight[number]
            item = engine.item_at(asked.place)
            if self.missing[item, asked.arm]:
                passed += 1
                engine.abandon(number)
            else:
                engine.tell(number, inward(tuple(self.cells[item, asked.arm].tolist())))
        return passed

    @property
    def needed(self) -> int:
        """How many cells it took."""
        return self.engine.counted

    @property
    def share(self) -> float:
        """How many that is, of all cells of the table."""
        return self.needed / self.missing.size

    @cached_property
    def decision(self) -> Decision:
        """The decision; if there is none, what is still open. It prints as a sentence."""
        return decision(self.problem, self.engine, self.warnings)

    @cached_property
    def warnings(self) -> list[Notice]:
        """What speaks against an assumption of the guarantee."""
        return notices(self.problem, self.engine)

    @property
    def assumptions(self) -> list[str]:
        """What the answer rests on, and the table does not show."""
        found = []
        if self.drawn:
            found.append(
                f"Surefoot drew the order of the items at random, with seed {self.seed}: it assumes nothing of it."
            )
        elif self.problem.items and self.problem.items.finite:
            found.append("The rows are taken to be in random order, drawn before the first result was known.")
        else:
            found.append("The items are taken to be a random sample, and are read in the order of the rows.")
        if empty := int(self.missing.sum()):
            said = "1 cell is" if empty == 1 else f"{empty:,} cells are"
            found.append(
                f"{said} empty. They are taken to be missing at random: for no reason that has to do with any result."
            )
        return found

    def table(self) -> Table:
        """One row per arm, with bounds and verdict."""
        return table(self.problem, self.engine)

    def table_of(self, most: int) -> Table:
        """The rows of so many arms at most: those not ruled out first, then those pulled most."""
        return table(self.problem, self.engine, foremost(self.engine, in_play(self.engine), most))

    @cached_property
    def next_cells(self) -> list[Cell]:
        """The cells to fill next, in this order: those that the leader and its challenger lack, then those of others. Of a
        sample without an empty cell, the item after the last. None once it is decided.
        """
        if self.decision.status != "undecided":
            return []
        playing = in_play(self.engine)
        first = [arm for arm in contest(self.engine) if arm in playing]
        rest = [arm for arm in playing if arm not in first]
        order = [self.engine.item_at(place) for place in range(len(self.cells))]
        cells = [(item, arm) for arms in (first, rest) for item in order for arm in arms if self.missing[item, arm]]
        if not cells:
            return [Cell(self.problem.names[arm], len(self.cells)) for arm in first or rest]
        return [Cell(self.problem.names[arm], self.item(item)) for item, arm in cells[:MOST_CELLS]]

    @property
    def next(self) -> list[str]:
        """The arms of the cells to fill next."""
        return list(dict.fromkeys(cell.arm for cell in self.next_cells))

    def item(self, index: int) -> str | int:
        return self.log.items[index] if self.log.items else index


def cells_of(log: Log, count: int) -> NDArray[np.float64]:
    """The results by item, arm and metric; NaN where there is none. No cell may have two."""
    assert log.rows is not None
    arms = len(log.names)
    places = log.rows * arms + log.arms
    kinds, times = np.unique(places, return_counts=True)
    if (times > 1).any():
        row, arm = divmod(int(kinds[times > 1][0]), arms)
        item = log.items[row] if log.items else row
        raise InvalidValue(
            f"each arm must have one result for each item, got {int(times.max())} of arm {log.names[arm]!r} for item "
            f"{item!r}"
        )
    cells = np.full((count * arms, log.results.shape[1]), np.nan)
    cells[places] = log.results
    return cells.reshape(count, arms, -1)
