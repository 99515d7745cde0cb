"""A fold as bytes, so that opening a study need not begin at its first event. Plain data, and only ever a shortcut."""

import io
import json
import platform
import sys
from collections import OrderedDict, deque
from typing import Any

import numpy as np

from surefoot import sources
from surefoot.core import records
from surefoot.storage import Event, Snapshot
from surefoot.study.fold import Fold
from surefoot.study.leases import Heard
from surefoot.study.live import Asked
from surefoot.study.reducer import begun
from surefoot.study.watch import Alarm, Watch

# Of everything that a fold depends on: a snapshot by other code is none. Read at once, because files that change from now on
# are not what this process runs.
SOURCES = sources.digest(__name__)
VERSION = " ".join([SOURCES, "python", *map(str, sys.version_info[:2]), "numpy", np.__version__, platform.machine()])

COUNTS = ("steps", "warm", "cold", "counted", "spent", "handed_out", "status", "best", "finished")
WATCH = ("before", "waiting", "passed", "counted", "next_look")
BLOCKS = ("clock", "size", "first", "cuts", "own")
BLOCK_ARRAYS = ("tallies", "pulls", "sums", "squares", "medians")


def between(fold: Fold) -> int:
    """How many events to let pass from one snapshot to the next: many arms are more to write.

    None are taken where parts are the user's own, or where our sources are not there: nothing would tell that they have
    changed since.
    """
    return 0 if fold.live.program.own or not SOURCES else max(5_000, len(fold.problem.arms))


def taken(fold: Fold, position: int) -> Snapshot:
    """The snapshot of a fold of so many events."""
    live, state, watch = fold.live, fold.live.state, fold.live.watch
    plain = {
        "fold": [fold.asked, fold.announced, [(pull, heard.time) for pull, heard in fold.heard.items()]],
        "counts": [getattr(live, name) for name in COUNTS],
        "generator": live.generator.bit_generator.state,
        "waiting": list(live.waiting),
        "open": [(number, *asked) for number, asked in live.open.items()],
        "due": list(live.due.items()),
        "aside": list(live.aside.items()),
        "failures": list(live.failures.items()),
        "lines": [(arm, list(line.items())) for arm, line in live.lines.items()],
        "line": [(number, *asked) for number, asked in live.together.line.items()],
        "passed": list(live.together.passed.items()),
        "policy": records.contents(state.policy[0]),
        "before": [(arm, records.contents(record)) for arm, record in live.together.before.items()],
        "recorded": list(live.recorded.items()),
        "alarms": list(watch.alarms.values()),
        "watch": [getattr(watch, name) for name in WATCH],
        "blocks": [list(watch.blocks.rows), *(getattr(watch.blocks, name) for name in BLOCKS)],
    }
    arrays: dict[str, Any] = {
        "arms": records.packed(state.arms, live.program.arm),
        **{f"board_{name}": np.asarray(values) for name, values in state.board._asdict().items()},
        "asked": np.asarray(state.asked),
        "watched": np.array([(arm, watch.due[arm], *ends) for arm, ends in watch.ends.items()]),
        **{f"blocks_{name}": getattr(watch.blocks, name) for name in BLOCK_ARRAYS},
        "plain": np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8),
    }
    body = io.BytesIO()
    np.savez(body, **arrays)
    return Snapshot(position, VERSION, body.getvalue())


def restored(created: Event, snapshot: Snapshot) -> Fold | None:
    """The fold that a snapshot is of; None if it is of another version, or broken."""
    if snapshot.version != VERSION or not SOURCES:
        return None
    try:
        with np.load(io.BytesIO(snapshot.body), allow_pickle=False) as arrays:
            return filled(begun(created), dict(arrays))
    except Exception:  # whatever is wrong with it: the journal has it all
        return None


def filled(fold: Fold, arrays: dict[str, Any]) -> Fold:
    live, state = fold.live, fold.live.state
    plain = json.loads(arrays["plain"].tobytes())
    fold.asked, fold.announced, heard = plain["fold"]
    fold.heard = {pull: Heard(time) for pull, time in heard}
    for name, value in zip(COUNTS, plain["counts"], strict=True):
        setattr(live, name, value)
    live.generator.bit_generator.state = plain["generator"]
    live.waiting = deque(Asked(*asked) for asked in plain["waiting"])
    live.open = {number: Asked(arm, step) for number, arm, step in plain["open"]}
    live.due = dict(plain["due"])
    live.aside = dict(plain["aside"])
    live.failures = dict(plain["failures"])
    live.lines = {arm: OrderedDict((number, reward) for number, reward in line) for arm, line in plain["lines"]}
    live.together.line = OrderedDict((number, (arm, reward)) for number, arm, reward in plain["line"])
    live.together.passed = dict(plain["passed"])
    for arm, kept in plain["before"]:
        live.together.before[arm] = records.fill(type(state.arms[arm])(), kept)
    records.fill(state.policy[0], plain["policy"])
    for record, values in zip(state.arms, records.rows(arrays["arms"]), strict=True):
        records.fill(record, values)
    for name, values in state.board._asdict().items():
        values[:] = arrays[f"board_{name}"].tolist()
    state.asked[:] = arrays["asked"].tolist()
    fill_watch(live.watch, plain, arrays)
    live.recorded = {number: (pull, step) for number, (pull, step) in plain["recorded"]}
    return fold


def fill_watch(watch: Watch, plain: dict[str, Any], arrays: dict[str, Any]) -> None:
    watch.alarms = {(kind, arm): Alarm(kind, arm, *numbers) for kind, arm, *numbers in plain["alarms"]}
    for name, value in zip(WATCH, plain["watch"], strict=True):
        setattr(watch, name, value)
    watch.passed = (watch.passed[0], watch.passed[1])
    watch.waiting = [((pull, step), arm, reward) for (pull, step), arm, reward in watch.waiting]
    for arm, due, lower, upper in arrays["watched"].tolist():
        watch.due[int(arm)], watch.ends[int(arm)] = due, (lower, upper)
    rows, *counts = plain["blocks"]
    watch.blocks.rows = {arm: row for row, arm in enumerate(rows)}
    for name, value in zip(BLOCKS, counts, strict=True):
        setattr(watch.blocks, name, value)
    for name in BLOCK_ARRAYS:
        setattr(watch.blocks, name, arrays[f"blocks_{name}"])
