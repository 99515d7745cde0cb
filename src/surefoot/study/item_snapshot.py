"""What a snapshot has of the items that arms are tried on in common: of each arm its results, of each pair its evidence."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core import records
from surefoot.study.item_queues import ItemQueues

if TYPE_CHECKING:
    from surefoot.study.engine import Engine

COUNTS = ("most", "leader", "given", "reached")


def plain_items(engine: "Engine") -> dict[str, Any]:
    if not isinstance(engine.queues, ItemQueues):
        return {}
    items = engine.state.items
    counts = [list(getattr(items, name)) for name in COUNTS]
    return {"items": [*counts, list(engine.queues.lost.items()), list(items.pairs)]}


def item_arrays(engine: "Engine") -> dict[str, Any]:
    """8 bytes for each result: they are most of a snapshot."""
    if not isinstance(engine.queues, ItemQueues):
        return {}
    items = engine.state.items
    results = np.concatenate([np.frombuffer(row) for row in (*items.results, *items.limited)])
    return {"item_results": results, "item_pairs": records.packed(list(items.pairs.values()), items.pairs.declaration)}


def fill_items(engine: "Engine", plain: dict[str, Any], arrays: dict[str, Any]) -> None:
    queues, items = engine.queues, engine.state.items
    if not isinstance(queues, ItemQueues):
        return
    from surefoot.core.comparisons.on_items import Row

    *counts, lost, pairs = plain["items"]
    for name, values in zip(COUNTS, counts, strict=True):
        getattr(items, name)[:] = values
    queues.lost = dict(lost)
    rows = [(items.results, arm) for arm in range(len(items.results))]
    rows += [(items.limited, row) for row in range(len(items.limited))]
    lengths = [*items.reached, *np.repeat(items.reached, len(items.limited) // len(items.results))]
    for (kept, row), (start, end) in zip(rows, pairwise(np.cumsum([0, *lengths]).tolist()), strict=True):
        kept[row] = Row("d", arrays["item_results"][start:end].tobytes())
    for pair, values in zip(pairs, records.unpacked(arrays["item_pairs"], items.pairs.declaration), strict=True):
        records.fill(items.pairs[pair], values)
