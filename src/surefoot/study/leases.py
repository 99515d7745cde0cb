"""When pulls in flight were last heard of, by a clock that nobody puts forward or back.

The times in a journal are the storage's clock as it was, and that may have been wrong for a while. So each process judges by
its own steady clock whether a lease has run out. It knows the moment of what it writes itself. What others wrote happened
since it last looked: the storage's clock only says when in between. For what was there when it opened the study, the
storage's clock is all there is to go by.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

steady = time.monotonic


@dataclass(slots=True)
class Heard:
    """When a pull was last heard of."""

    time: float  # by the storage's clock, as the journal says
    steady: float = math.inf  # by this process's steady clock, once it has looked


class Leases:
    """What this process knows of when things happened."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock  # the storage's
        self.looked = -math.inf  # when this process last had every event, by its steady clock
        self.known: dict[int, Heard] = {}  # by a state that was thrown away

    def date(self, heard: dict[int, Heard], now: float | None = None) -> float:
        """Date what is new, which is at the end. Gives the moment of this look, by the steady clock."""
        here, latest = steady(), now
        for pull, word in reversed(heard.items()):
            if word.steady < math.inf:
                break
            if (known := self.known.get(pull)) and known.time == word.time and known.steady < math.inf:
                word.steady = known.steady
                continue
            if now is None or latest is None:
                now = latest = self.clock()
            if word.time <= now:  # or else the clock was put back since, and what came next says more
                latest = min(latest, word.time)
            word.steady = max(here - (now - min(word.time, latest)), self.looked)
        self.looked, self.known = here, {}
        return here
