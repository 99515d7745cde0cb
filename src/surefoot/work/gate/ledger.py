"""The ledger of a project: each gate gets a share of delta, and all shares together are no more than delta.

One line of JSON for each gate, written before it begins: a gate that was interrupted has used its share.
"""

import json
import math
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from surefoot.errors import Conflict, InvalidValue

PATIENCE = 60.0  # seconds to wait for another gate, which holds the lock while it writes a line
BEGINNING = b'{"gate": '
TOTAL = 2.1098  # no less than the sum of 1 / (k ln(k)^2) over k from 2 on (docs/gate.md)


class Entry(NamedTuple):
    gate: int  # its number in the ledger, from 1 on
    share: float  # of delta: the probability with which it may pass wrongly


def share_of(gate: int, delta: float) -> float:
    """What the gate of this number gets of delta.

    It falls a little faster than 1 / k: the hundredth gate of a project needs about 1.5 times the rounds of the first.
    """
    k = gate + 1.0
    return delta / (TOTAL * k * math.log(k) ** 2)


def claim(path: Path, delta: float, question: str) -> Entry:
    """Write the line of the next gate, and return its number and its share."""
    if not path.absolute().parent.is_dir():
        raise InvalidValue(f"the ledger must be a file in a folder that exists, got {path}")
    try:
        with FileLock(f"{path}.lock", timeout=PATIENCE):
            lines = path.read_bytes().splitlines() if path.exists() else []
            used = [line for line in lines if line.strip()]  # a line that was cut off is a gate too
            check_delta(path, used, delta)
            entry = Entry(len(used) + 1, share_of(len(used) + 1, delta))
            now = datetime.now(UTC).isoformat(timespec="seconds")
            line = {"gate": entry.gate, "share": entry.share, "delta": delta, "time": now, "question": question}
            append(path, json.dumps(line, ensure_ascii=False))
    except Timeout as error:
        raise Conflict(
            f"another gate has locked the ledger {path} for {PATIENCE:g} s: try again when it has ended"
        ) from error
    except OSError as error:
        raise InvalidValue(
            f"the ledger must be a file that can be read and written: {path}: {error.strerror}"
        ) from error
    return entry


def check_delta(path: Path, used: list[bytes], delta: float) -> None:
    """All gates of a ledger share one delta."""
    for number, line in enumerate(used, 1):
        try:
            begun = json.loads(line)["delta"]
        except (ValueError, KeyError, TypeError):
            if line[: len(BEGINNING)] == BEGINNING[: len(line)]:  # cut off by a crash
                continue
            raise InvalidValue(f"{path} is not a ledger of gates: line {number} cannot be read") from None
        if begun != delta:
            raise InvalidValue(
                f"all gates of a ledger must have the same delta: {path} has delta {begun:g}, got {delta:g}"
            )


def append(path: Path, line: str) -> None:
    """Add a line, on disk before the gate begins. One that was cut off before it stays a line of its own."""
    with open(path, "ab+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
        torn = bool(size) and file.read(1) != b"\n"
        file.write(b"\n" * torn + line.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
