"""What a live study costs: one ask and tell in memory, importing the package, starting the command line."""

import subprocess
import sys
import time
from typing import Any

from benchmarks.speed import fastest
from benchmarks.works import asking_and_telling

STARTS = 5


def seconds(*command: str) -> float:
    """The shortest of several runs of a command."""
    best = float("inf")
    for _ in range(STARTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        best = min(best, time.perf_counter() - started)
    return best


def measure() -> list[dict[str, Any]]:
    nothing = seconds("-c", "pass")
    imported = seconds("-c", "import surefoot; surefoot.Study")
    started = seconds("-m", "surefoot", "--help")
    few, many = (nanoseconds / 1e3 for arms in (20, 100_000) for nanoseconds in fastest(asking_and_telling(arms)))
    return [
        {"what": "microseconds per live ask and tell in memory, 20 arms", "value": few, "aim": "<= 60"},
        {"what": "microseconds per live ask and tell in memory, 100,000 arms", "value": many, "aim": "<= 150"},
        {"what": "seconds to start Python", "value": nothing},
        {"what": "seconds to import surefoot and its Study", "value": imported, "aim": "<= 0.35"},
        {"what": "seconds of surefoot --help", "value": started, "aim": "<= 0.35"},
    ]
