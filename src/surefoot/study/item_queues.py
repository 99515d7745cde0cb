"""The pulls of a study whose arms are tried on the same items: each belongs to a place in the order of items.

An arm's results count in the order of places. A place whose pull was lost is handed out anew, before any further one of its
arm; a place whose pull was abandoned is left out.
"""

from bisect import insort
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from surefoot.core.state import Results
from surefoot.study.queues import Asked, Queues

if TYPE_CHECKING:
    from surefoot.core.comparisons.on_items import OnItems

LEFT_OUT: Results = ()  # what stands for the results at a place that was left out


class ItemQueues(Queues):
    def __init__(self, items: "OnItems") -> None:
        super().__init__()
        self.items = items
        # Of each arm, the places that do not count yet, with the pull that was told there; None while it is waited for.
        self.by_place: dict[int, OrderedDict[int, Asked | None]] = {}
        self.lost: dict[int, list[int]] = {}  # of each arm, the places to be handed out anew

    def has_item(self, arm: int) -> bool:
        return bool(self.lost.get(arm)) or self.items.given[arm] < self.items.last

    def line_up(self, asked: Asked) -> None:
        lost = self.lost.get(asked.arm)
        asked.place = lost.pop(0) if lost else self.next_place(asked.arm)

    def next_place(self, arm: int) -> int:
        place: int = self.items.given[arm]
        if place >= self.items.last:
            raise IndexError(f"arm {arm} has used up its items")
        self.items.given[arm] += 1
        self.by_place.setdefault(arm, OrderedDict())[place] = None
        return place

    def undo(self, number: int) -> Asked:
        asked = self.lose(number)
        if asked.place == self.items.given[asked.arm] - 1:
            self.lost[asked.arm].remove(asked.place)
            self.items.given[asked.arm] -= 1
            del self.by_place[asked.arm][asked.place]
        return asked

    def lose(self, number: int) -> Asked:
        asked = self.in_flight.pop(number)
        self.spent -= 1
        insort(self.lost.setdefault(asked.arm, []), asked.place)
        return asked

    def take_back(self, number: int) -> Asked:
        self.spent -= 1
        return self.tell(number, LEFT_OUT)

    def tell(self, number: int, results: Results) -> Asked:
        asked = super().tell(number, results)
        self.by_place[asked.arm][asked.place] = asked
        return asked

    def record(self, arm: int, results: Results, step: int) -> Asked:
        self.spent += 1
        place = self.next_place(arm)
        asked = Asked(arm, step, -step, place, moment=(self.handed_out, step), results=results)
        self.by_place[arm][place] = asked
        return asked

    def next_told(self, arm: int) -> Asked | None:
        queue = self.by_place.get(arm)
        if queue is None:
            return None
        for place, asked in queue.items():
            if asked is None:
                return None
            del queue[place]
            return asked
        del self.by_place[arm]
        return None

    def arms(self) -> Iterable[int]:
        return self.by_place

    def length(self, arm: int) -> int:
        return len(self.by_place.get(arm, ()))

    def queued(self) -> Iterable[Asked]:
        return (asked for queue in self.by_place.values() for asked in queue.values() if asked is not None)

    def rows(self) -> list[Any]:
        return [
            [arm, [(place, asked and asked.number) for place, asked in queue.items()]]
            for arm, queue in self.by_place.items()
        ]

    def fill(self, rows: list[Any], pulls: dict[int, Asked]) -> None:
        self.by_place = {
            arm: OrderedDict((place, None if number is None else pulls[number]) for place, number in queue)
            for arm, queue in rows
        }
