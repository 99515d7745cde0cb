"""Commands that leave processes behind in every way there is, and a look at which are left."""

import time
from pathlib import Path

LEAVES = """setsid sh -c 'sleep 100 & sleep 100 & wait' & setsid sh -c 'sleep 100 &'; (sleep 100 &); sleep 100 & """


def marked(mark):
    """The processes that have the mark in their environment, but for those that are only waited for."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_bytes().rpartition(b")")[2].split()[0]
            if state not in b"ZX" and mark.encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except OSError:
            continue
    return found


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
