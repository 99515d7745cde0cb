"""About how much memory a study takes in this process, by what it has to keep; a test compares it with what it does take."""

import ctypes
import sys
from functools import cache
from typing import TYPE_CHECKING

from surefoot.core.comparisons.on_items import OnItems
from surefoot.core.differences import Differences
from surefoot.core.records import Record, View, plain_record
from surefoot.study.watch import EVERY

if TYPE_CHECKING:
    from surefoot.study.study import Study

NUMBER = sys.getsizeof(0.5) + 8  # bytes of a number and of the reference to it
ROW = sys.getsizeof([])
RECORD = 48  # a record's own head, and the reference to it
STUDY = 30_000  # whatever its arms
OWN_KERNELS = 45_000  # of a study with parts of a user, which shares its kernels with no other
ARM = 350  # besides its record and its name: where it stands in the order of arms and on the board
WATCHED = 200  # what is kept of an arm to watch its bounds
COUNTED = 6_000  # and of an arm whose results are counted in blocks
WAITING = 250  # of a result that is still to be counted there
PAIR = 100  # besides its record: where it stands among the pairs
PULL = 550  # in flight, or told and waiting for one that is


def footprint(study: "Study") -> int:
    """Bytes of a study at most: of one that was read from a snapshot and whose arms were all pulled. It may be a third."""
    state = study._replica.loaded
    if state is None:  # let go of after an error, to be read anew
        return STUDY
    engine = state.engine
    arms = len(engine.state.arms) * (ARM + record_size(type(engine.state.arms[0])))  # type: ignore[arg-type]
    watched = len(engine.watch.ends) * WATCHED + len(engine.watch.blocks.rows) * COUNTED
    watched += max(EVERY, len(engine.watch.waiting)) * WAITING
    on_items = 0
    if engine.items:
        on_items = items_size(engine.state.items) + (0 if engine.order is None else engine.order.nbytes)
    pulls = max(engine.spent - engine.counted, len(engine.pair_order.line))
    own = OWN_KERNELS if engine.program.own else 0
    return STUDY + own + 2 * sys.getsizeof(state.created["problem"]) + arms + watched + on_items + PULL * pulls


def items_size(items: OnItems) -> int:
    """Bytes of what arms that are tried on the same items have in common."""
    results = sum(map(sys.getsizeof, [*items.results, *items.limited]))
    return results + len(items.pairs) * (PAIR + record_size(plain_record(Differences)))


@cache
def record_size(kind: type) -> int:
    """Bytes of an arm's record. Of one in an array there may be three: its own, and two for comparisons."""
    return 3 * ctypes.sizeof(kind) if issubclass(kind, View) else size(kind())


def size(value: object) -> int:
    """Bytes of what a field holds, and of the reference to it."""
    if isinstance(value, list):
        return NUMBER + ROW + NUMBER * len(value)
    if isinstance(value, Record):
        return RECORD + sum(size(getattr(value, name)) for name in value.__fields__)
    return NUMBER
