"""The pulls of a study, from the moment they are chosen until their results count.

An arm's results enter its bounds in the order in which their pulls were asked for, whatever the order they are told in:
that the bounds hold depends on it (docs/bounds.md). So each arm has a queue, in which a result waits for earlier pulls.
"""

import math
from collections import OrderedDict, deque
from typing import Any, NamedTuple

from surefoot.core.state import Results
from surefoot.study.watch import Place


class Asked(NamedTuple):
    arm: int
    step: int
    place: int = -1  # in the order of items, once it is handed out; -1 where arms have no items in common


class Queues:
    def __init__(self) -> None:
        self.chosen: deque[Asked] = deque()  # not yet handed out
        self.in_flight: dict[int, Asked] = {}  # handed out, neither told nor abandoned, by the pull's number
        self.open_by_step: dict[int, int] = {}  # of each step that is not complete, the pulls not yet done with
        # Per arm and in ask order, the results not yet counted by the pull's number; None while they are in flight.
        self.of_arm: dict[int, OrderedDict[int, Results | None]] = {}
        # Of results recorded and not yet counted, by number: after which pull they came.
        self.recorded: dict[int, Place] = {}
        self.spent = 0  # pulls handed out or recorded, less those taken back
        self.handed_out = 0  # the last pull

    def choose(self, arms: list[int], step: int) -> None:
        """Pulls of these arms are the next step."""
        self.open_by_step[step] = len(arms)
        for arm in arms:
            self.chosen.append(Asked(arm, step))

    def hand_out(self, number: int, asked: Asked) -> None:
        self.spent += 1
        self.handed_out = number
        self.in_flight[number] = asked
        self.of_arm.setdefault(asked.arm, OrderedDict())[number] = None

    def take_back(self, number: int) -> Asked:
        """A pull in flight that brings no result: those behind it move up."""
        asked = self.in_flight.pop(number)
        del self.of_arm[asked.arm][number]
        self.spent -= 1
        return asked

    def undo(self, number: int) -> Asked:
        """A pull that was just handed out, and is not after all."""
        return self.take_back(number)

    def lose(self, number: int) -> Asked:
        """A pull in flight that brings no result, for which a fresh one is handed out."""
        return self.take_back(number)

    def has_item(self, arm: int) -> bool:
        """Is there anything left to try the arm on?"""
        return True

    def restored(self, slot: Any) -> Any:
        """What stands in an arm's queue, from a snapshot."""
        return slot and tuple(slot)

    def tell(self, number: int, results: Results) -> Asked:
        """The result of a pull in flight."""
        asked = self.in_flight.pop(number)
        self.of_arm[asked.arm][number] = results
        return asked

    def record(self, arm: int, results: Results, step: int) -> int:
        """A result nobody asked for, at the end of its arm's queue; its number."""
        self.spent += 1
        self.of_arm.setdefault(arm, OrderedDict())[-step] = results
        self.recorded[-step] = self.handed_out, step
        return -step

    def next_results(self, arm: int) -> tuple[int, Results] | None:
        """Take the next result out of an arm's queue, and its pull's number; None while the pull before it is in flight."""
        queue = self.of_arm[arm]
        for number, results in queue.items():
            if results is None:
                return None
            del queue[number]
            return number, results
        del self.of_arm[arm]
        return None

    def place(self, number: int) -> Place:
        """Where a result that was taken out stands in the order of asking, over all arms."""
        return (number, 0) if number > 0 else self.recorded.pop(number)

    def done_with(self, asked: Asked) -> bool:
        """A pull that is waited for no longer; is its step complete by this?"""
        left = self.open_by_step[asked.step] - 1
        if left:
            self.open_by_step[asked.step] = left
        else:
            del self.open_by_step[asked.step]
        return not left

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

    def length(self, arm: int) -> int:
        """The pulls of an arm whose results do not count yet."""
        return len(self.of_arm.get(arm, ()))

    def waiting_results(self) -> int:
        """The results that were told, and wait for earlier pulls."""
        return sum(results is not None for queue in self.of_arm.values() for results in queue.values())
