"""The pulls of a study, from the moment they are chosen until their results count.

An arm's results enter its bounds in the order in which their pulls were asked for, whatever the order they are told in:
that the bounds hold depends on it (docs/bounds.md). So each arm has a queue, in which a result waits for earlier pulls.
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from surefoot.core.state import Results
from surefoot.study.watch import Place

Row: TypeAlias = list[Any]  # what a snapshot has of a pull


@dataclass(slots=True, eq=False)
class Asked:
    """A pull. It is one object wherever it waits, so that what it came to is said once."""

    arm: int
    step: int
    number: int = 0  # that it was last handed out by; minus the step of a result that nobody asked for
    place: int = -1  # in the order of items; -1 where arms have no items in common
    moment: Place = (0, 0)  # where it stands in the order of asking, over all arms
    results: Results | None = None  # None until they are told
    is_gone: bool = False  # will there be none? It may still stand in a queue, behind others

    @classmethod
    def of(cls, row: Row) -> "Asked":
        arm, step, number, place, (after, recorded), results = row
        return cls(arm, step, number, place, (after, recorded), None if results is None else tuple(results))

    @property
    def row(self) -> Row:
        return [self.arm, self.step, self.number, self.place, self.moment, self.results]

    def again(self) -> "Asked":
        """A fresh pull in the place of this one."""
        return Asked(self.arm, self.step)


def trim(queue: deque[Asked]) -> int:
    """Remove those that are gone from both ends, and return how many. To search a long queue for one takes long."""
    before = len(queue)
    while queue and queue[-1].is_gone:
        queue.pop()
    while queue and queue[0].is_gone:
        queue.popleft()
    return before - len(queue)


class Queues:
    def __init__(self) -> None:
        self.chosen: deque[Asked] = deque()  # not yet handed out
        self.in_flight: dict[int, Asked] = {}  # handed out, neither told nor abandoned, by the pull's number
        self.open_by_step: dict[int, int] = {}  # the pulls not yet done with, of each step that has two or more of them
        self.of_arm: dict[int, deque[Asked]] = {}  # in ask order, those whose results do not count yet
        self.gone: dict[int, int] = {}  # how many of an arm's queue are
        self.spent = 0  # pulls handed out or recorded, less those taken back
        self.handed_out = 0  # the last pull

    def choose(self, arms: list[int], step: int) -> None:
        """Pulls of these arms are the next step."""
        if len(arms) > 1:
            self.open_by_step[step] = len(arms)
        for arm in arms:
            self.chosen.append(Asked(arm, step))

    def hand_out(self, number: int, asked: Asked) -> None:
        self.line_up(asked)
        self.spent += 1
        self.handed_out = asked.number = number
        asked.moment = number, 0
        self.in_flight[number] = asked

    def line_up(self, asked: Asked) -> None:
        """Have it wait behind the arm's earlier pulls."""
        queue = self.of_arm.get(asked.arm)
        if queue is None:
            queue = self.of_arm[asked.arm] = deque()
        queue.append(asked)

    def take_back(self, number: int) -> Asked:
        """A pull in flight that brings no result: those behind it move up."""
        asked = self.in_flight.pop(number)
        asked.is_gone = True
        self.gone[asked.arm] = self.gone.get(asked.arm, 0) + 1
        self.trim(asked.arm)
        self.spent -= 1
        return asked

    def trim(self, arm: int) -> None:
        queue = self.of_arm[arm]
        self.gone[arm] -= trim(queue)
        if not self.gone[arm]:
            del self.gone[arm]
        if not queue:
            del self.of_arm[arm]

    def undo(self, number: int) -> Asked:
        """A pull that was just handed out, and is not after all."""
        return self.take_back(number)

    def lose(self, number: int) -> Asked:
        """A pull in flight that brings no result, for which a fresh one is handed out."""
        return self.take_back(number)

    def has_item(self, arm: int) -> bool:
        """Is there anything left to try the arm on?"""
        return True

    def tell(self, number: int, results: Results) -> Asked:
        """The result of a pull in flight."""
        asked = self.in_flight.pop(number)
        asked.results = results
        return asked

    def record(self, arm: int, results: Results, step: int) -> Asked:
        """A result nobody asked for, at the end of its arm's queue."""
        self.spent += 1
        asked = Asked(arm, step, -step, moment=(self.handed_out, step), results=results)
        self.line_up(asked)
        return asked

    def next_told(self, arm: int) -> Asked | None:
        """Take the next pull out of an arm's queue; None while its result is waited for."""
        queue = self.of_arm.get(arm)
        if queue is None or queue[0].results is None:
            return None
        asked = queue.popleft()
        if self.gone and arm in self.gone:
            self.trim(arm)
        elif not queue:
            del self.of_arm[arm]
        return asked

    def done_with(self, asked: Asked) -> bool:
        """A pull that is waited for no longer; is its step complete by this?"""
        left = self.open_by_step.get(asked.step)
        if left is None:
            return True
        if left > 2:
            self.open_by_step[asked.step] = left - 1
        else:
            del self.open_by_step[asked.step]
        return False

    def forget_chosen(self) -> None:
        """Choose anew: what is chosen and not handed out is no part of its step any more."""
        for asked in self.chosen:
            self.done_with(asked)
        self.chosen.clear()

    def forget_arm(self, arm: int) -> None:
        """No pull of an arm that is chosen is handed out."""
        gone = [asked for asked in self.chosen if asked.arm == arm]
        self.chosen = deque(asked for asked in self.chosen if asked.arm != arm)
        for asked in gone:
            self.done_with(asked)

    def oldest(self) -> float:
        """The first pull in flight."""
        return next(iter(self.in_flight), math.inf)

    def arms(self) -> Iterable[int]:
        """Those with pulls whose results do not count yet."""
        return self.of_arm

    def length(self, arm: int) -> int:
        """The pulls of an arm whose results do not count yet."""
        return len(self.of_arm.get(arm, ())) - self.gone.get(arm, 0)

    def queued(self) -> Iterable[Asked]:
        """The pulls that stand in a queue. On items, a pull in flight does not: its place is kept free for it."""
        return (asked for queue in self.of_arm.values() for asked in queue if not asked.is_gone)

    def waiting_results(self) -> int:
        """How many results were told, and wait for earlier pulls."""
        return sum(bool(asked.results) for asked in self.queued())

    # --- for snapshots: pulls by their numbers

    def rows(self) -> list[Any]:
        return [[arm, [asked.number for asked in queue if not asked.is_gone]] for arm, queue in self.of_arm.items()]

    def fill(self, rows: list[Any], pulls: dict[int, Asked]) -> None:
        self.of_arm = {arm: deque(pulls[number] for number in numbers) for arm, numbers in rows}
