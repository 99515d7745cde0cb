"""A state as bytes, so that opening a study need not begin at its first event. Plain data, and only ever a shortcut."""

import json
import math
import platform
import sys
from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from surefoot import sources
from surefoot.core import records
from surefoot.storage import Event, Snapshot
from surefoot.study.engine import Engine
from surefoot.study.item_snapshot import fill_items, item_arrays, plain_items
from surefoot.study.leases import Heard
from surefoot.study.queues import Asked
from surefoot.study.reducer import begun
from surefoot.study.study_state import StudyState
from surefoot.study.watch import Alarm, Watch

COUNTS = ("steps", "arms_not_warm", "counted", "status", "best", "finished")
WATCH = ("before", "waiting", "passed", "counted", "next_look")
BLOCKS = ("clock", "size", "first", "cuts", "own")
BLOCK_ARRAYS = ("tallies", "pulls", "sums", "squares", "ranked")


@cache
def version() -> str:
    """Of everything that a state depends on: a snapshot by other code is none. Empty where our sources are not known."""
    if not (digest := sources.digest(__name__)):
        return ""
    return " ".join([digest, "python", *map(str, sys.version_info[:2]), "numpy", np.__version__, platform.machine()])


def between(study: StudyState) -> int:
    """How many events to let pass from one snapshot to the next: many arms are more to write.

    None are taken where parts are the user's own, or where our sources are not known: nothing would tell that they
    have changed since.
    """
    return 0 if study.engine.program.own or not version() else max(5_000, len(study.problem.arms))


def taken(study: StudyState, position: int) -> Snapshot:
    """The snapshot of a state after so many events."""
    engine, state, watch = study.engine, study.engine.state, study.engine.watch
    chooser, queues = engine.chooser, engine.queues
    plain = {
        "state": [study.asked, study.announced, [(pull, heard.time) for pull, heard in study.heard.items()]],
        "counts": [getattr(engine, name) for name in COUNTS],
        "chooser": [engine.calls.generator.bit_generator.state, chooser.warm],
        "pulls": [queues.spent, queues.handed_out],
        "chosen": [asked.row for asked in queues.chosen],
        "in_flight": [asked.row for asked in queues.in_flight.values()],
        "waiting": [asked.row for asked in waiting_pulls(engine)],
        "open_by_step": list(queues.open_by_step.items()),
        "aside": list(engine.aside.items()),
        "failures": list(engine.failures.items()),
        "expired": list(engine.expired.items()),
        "clipped": list(engine.clipped.items()),
        "queues": queues.rows(),
        "line": [asked.number for asked in line_of(engine)],
        "passed": list(engine.pair_order.passed.items()),
        "policy": records.contents(state.policy[0]),
        "before": [(arm, records.contents(record)) for arm, record in engine.pair_order.before.items()],
        "alarms": list(watch.alarms.values()),
        "watch": [getattr(watch, name) for name in WATCH],
        "blocks": [list(watch.blocks.rows), *(getattr(watch.blocks, name) for name in BLOCKS)],
        **plain_items(engine),
    }
    arrays: dict[str, Any] = {
        "arms": records.packed(state.arms, engine.program.arm),
        **{f"board_{name}": np.asarray(values) for name, values in state.board._asdict().items()},
        "asked": np.asarray(state.asked),
        "watched": np.array([(arm, watch.due[arm], *ends) for arm, ends in watch.ends.items()]),
        **{f"blocks_{name}": getattr(watch.blocks, name) for name in BLOCK_ARRAYS},
        **item_arrays(engine),
    }
    return Snapshot(position, version(), written(plain, arrays))


def restored(created: Event, snapshot: Snapshot) -> StudyState | None:
    """The state that a snapshot is of; None if it is of another version, or broken."""
    if not version() or snapshot.version != version():
        return None
    try:
        return filled(begun(created), *read(snapshot.body))
    except Exception:  # whatever is wrong with it: the journal has it all
        return None


def written(plain: dict[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """All of it as bytes: a line that says what there is, then the arrays. It is a format of our own, because numpy's took a
    quarter of the time in which a study is opened.
    """
    shapes = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    head = json.dumps([shapes, plain], separators=(",", ":")).encode()
    return b"".join([head, b"\n", *(array.tobytes() for array in arrays.values())])


def read(body: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The plain data and the arrays of a snapshot. Records come as bytes: `records.unpacked` finds their fields."""
    start = body.index(b"\n") + 1
    shapes, plain = json.loads(body[:start])
    arrays = {}
    for name, (kind, shape) in shapes.items():
        arrays[name] = np.frombuffer(body, kind, math.prod(shape), start).reshape(shape)
        start += arrays[name].nbytes
    return plain, arrays


def filled(study: StudyState, plain: dict[str, Any], arrays: dict[str, Any]) -> StudyState:
    engine, state = study.engine, study.engine.state
    study.asked, study.announced, heard = plain["state"]
    study.heard = {pull: Heard(time) for pull, time in heard}
    for name, value in zip(COUNTS, plain["counts"], strict=True):
        setattr(engine, name, value)
    engine.calls.generator.bit_generator.state, engine.chooser.warm = plain["chooser"]
    engine.aside = dict(plain["aside"])
    engine.failures = dict(plain["failures"])
    engine.expired = dict(plain["expired"])
    engine.clipped = dict(plain["clipped"])
    engine.pair_order.passed = dict(plain["passed"])
    records.fill(state.policy[0], plain["policy"])
    for record, values in zip(state.arms, records.unpacked(arrays["arms"], engine.program.arm), strict=True):
        records.fill(record, values)
    for arm, kept in plain["before"]:
        engine.pair_order.before[arm] = records.fill(type(state.arms[arm])(), kept)
        engine.pair_order.before[arm].limit = state.arms[arm].limit
    fill_queues(engine, plain)
    engine.pair_order.restored()
    for name, values in state.board._asdict().items():
        values[:] = arrays[f"board_{name}"].tolist()
    state.asked[:] = arrays["asked"].tolist()
    fill_watch(engine.watch, plain, arrays)
    fill_items(engine, plain, arrays)
    return study


def waiting_pulls(engine: Engine) -> list[Asked]:
    """The pulls in an arm's queue, or in the line of all arms, that are not in flight: their results were told and wait for
    those of others; or everything was decided before they came to anything.
    """
    there = {asked.number: asked for asked in (*engine.queues.queued(), *line_of(engine))}
    return [asked for number, asked in there.items() if number not in engine.in_flight]


def line_of(engine: Engine) -> list[Asked]:
    return [asked for asked in engine.pair_order.line if not asked.is_gone]


def fill_queues(engine: Engine, plain: dict[str, Any]) -> None:
    queues = engine.queues
    queues.spent, queues.handed_out = plain["pulls"]
    queues.chosen = deque(map(Asked.of, plain["chosen"]))
    flying, waiting = (
        {asked.number: asked for asked in map(Asked.of, plain[name])} for name in ("in_flight", "waiting")
    )
    queues.in_flight.update(flying)
    queues.open_by_step = dict(plain["open_by_step"])
    queues.fill(plain["queues"], flying | waiting)
    engine.pair_order.line = deque((flying | waiting)[number] for number in plain["line"])


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
        setattr(watch.blocks, name, arrays[f"blocks_{name}"].copy())
