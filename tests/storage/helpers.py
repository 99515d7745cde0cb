"""Shared by the tests of storages."""

import json

from surefoot import Study
from surefoot.study import leases, snapshot
from tests.study.helpers import MEANS

FIELDS = {"risk": "variance <= 0.04", "delta": 0.1}


def begin(storage, name="study", **fields):
    return Study.open(storage, name, list(MEANS), **FIELDS | fields)


def untimed(events):
    return [{key: value for key, value in event.items() if key != "time"} for event in events]


def state(study):
    """All that a study's state consists of, to the last bit."""
    plain, arrays = snapshot.read(snapshot.taken(study._replica.state, 0).body)
    return {"plain": json.dumps(plain)} | {name: array.tobytes() for name, array in arrays.items()}


def set_clock(patch, storage, seconds):
    """Have it so late, on a storage's clock and on the steady one."""
    patch.setattr(leases, "steady", lambda: seconds)
    put_clock(storage, seconds)


def put_clock(storage, seconds):
    """Put a storage's clock forward or back, which is nothing to the steady one."""
    storage.now = lambda: seconds
    if "postgresql" in getattr(storage, "url", ""):
        storage.HEAD = type(storage).HEAD.replace(type(storage).CLOCK, f"{seconds}::float8")
