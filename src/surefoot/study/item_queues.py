"""The pulls of a study whose arms are tried on the same items: each belongs to a place in the order of items.

An arm's results count in the order of places. A place whose pull was lost is handed out anew, before any further one of its
arm; a place whose pull was abandoned is left out.
"""

from bisect import insort
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from surefoot.core.state import Results
from surefoot.study.queues import Asked, Queues

if TYPE_CHECKING:
    from surefoot.core.comparisons.on_items import OnItems

LEFT_OUT: Results = ()  # what stands for the results at a place that was left out


class ItemQueues(Queues):
    """Of each arm and by place: the pull's number and its results, None while they are waited for."""

    def __init__(self, items: "OnItems") -> None:
        super().__init__()
        self.items = items
        self.lost: dict[int, list[int]] = {}  # of each arm, the places to be handed out anew

    def has_item(self, arm: int) -> bool:
        return bool(self.lost.get(arm)) or self.items.given[arm] < self.items.last

    def hand_out(self, number: int, asked: Asked) -> None:
        lost = self.lost.get(asked.arm)
        place = lost.pop(0) if lost else self.next_place(asked.arm)
        self.spent += 1
        self.handed_out = number
        self.in_flight[number] = asked._replace(place=place)

    def next_place(self, arm: int) -> int:
        place: int = self.items.given[arm]
        if place >= self.items.last:
            raise IndexError(f"arm {arm} has used up its items")
        self.items.given[arm] += 1
        self.of_arm.setdefault(arm, OrderedDict())[place] = None
        return place

    def undo(self, number: int) -> Asked:
        asked = self.lose(number)
        if asked.place == self.items.given[asked.arm] - 1:
            self.lost[asked.arm].remove(asked.place)
            self.items.given[asked.arm] -= 1
            del self.of_arm[asked.arm][asked.place]
        return asked

    def lose(self, number: int) -> Asked:
        asked = self.in_flight.pop(number)
        self.spent -= 1
        insort(self.lost.setdefault(asked.arm, []), asked.place)
        return asked

    def take_back(self, number: int) -> Asked:
        asked = self.in_flight.pop(number)
        self.spent -= 1
        self.settle(asked, number, LEFT_OUT)
        return asked

    def tell(self, number: int, results: Results) -> Asked:
        asked = self.in_flight.pop(number)
        self.settle(asked, number, results)
        return asked

    def settle(self, asked: Asked, number: int, results: Results) -> None:
        found: Any = (number, results)
        self.of_arm[asked.arm][asked.place] = found

    def record(self, arm: int, results: Results, step: int) -> int:
        self.spent += 1
        self.settle(Asked(arm, step, self.next_place(arm)), -step, results)
        self.recorded[-step] = self.handed_out, step
        return -step

    def next_results(self, arm: int) -> tuple[int, Results] | None:
        queue: Any = self.of_arm[arm]
        for place, found in queue.items():
            if found is None:
                return None
            del queue[place]
            return found  # type: ignore[no-any-return]
        del self.of_arm[arm]
        return None

    def restored(self, slot: Any) -> Any:
        return slot and (slot[0], tuple(slot[1]))

    def waiting_results(self) -> int:
        slots: Any = [slot for queue in self.of_arm.values() for slot in queue.values()]
        return sum(slot is not None and slot[1] != LEFT_OUT for slot in slots)
