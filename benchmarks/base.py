"""This version of Surefoot against that of another commit, in one run: `make bench BASE=<commit>`.

The other commit's sources are unpacked into `build/base`, and share what is installed here. Each version does the works in a
process of its own, and they take turns, so that what else the machine does meets all of them alike. This version is measured
twice: what those two differ by is noise, and no more can be read from the others.
"""

import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.works import WORKS

HERE = Path(__file__).parents[1]
ROUNDS = 15
CLOCKS = ("processor", "clock")


class Ratio(NamedTuple):
    """Of two versions round by round: the median, and the quartiles."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


def ratio(over: list[float], under: list[float]) -> Ratio:
    low, median, high = statistics.quantiles([one / other for one, other in zip(over, under, strict=True)], n=4)
    return Ratio(median, low, high)


def unpacked(commit: str) -> Path:
    """The sources of a commit, in a folder named after it."""
    named = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"], cwd=HERE, capture_output=True, text=True
    )
    if named.returncode:
        sys.exit(f"BASE must be a commit of this repository, got {commit!r}")
    folder = HERE / "build" / "base" / named.stdout.strip()[:12]
    archive = subprocess.run(["git", "archive", named.stdout.strip(), "src"], cwd=HERE, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


@contextmanager
def version(sources: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that does works with these sources."""
    environment = os.environ | {"PYTHONPATH": str(sources)}
    command = [sys.executable, "-m", "benchmarks.works"]
    process = subprocess.Popen(
        command, cwd=HERE, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        imported_from = process.stdout.readline().strip()
        if imported_from != str(sources / "surefoot"):
            sys.exit(f"the sources in {imported_from!r} are measured instead of those in {sources}")
        yield process
    finally:
        process.communicate()


def done(process: "subprocess.Popen[str]", work: str) -> dict[str, float]:
    assert process.stdin
    assert process.stdout
    process.stdin.write(work + "\n")
    process.stdin.flush()
    answer: dict[str, float] = json.loads(process.stdout.readline())
    return answer


def measure(commit: str) -> list[dict[str, Any]]:
    base, present = unpacked(commit), HERE / "src"
    rows = []
    with version(base) as old, version(present) as new, version(present) as same:
        title = f"median of {ROUNDS} rounds, in microseconds of the processor"
        print(f"{title:<60}{commit[:12]:>11}{'here':>11}   {f'here / {commit[:12]} (quartiles)':<28}noise: here / here")
        for work in WORKS:
            timings: dict[str, list[dict[str, float]]] = {"old": [], "new": [], "same": []}
            sides = [("old", old), ("new", new), ("same", same)]
            for number in range(ROUNDS):
                for name, process in sides[number % 3 :] + sides[: number % 3]:
                    timings[name].append(done(process, work))
            for clock in CLOCKS:
                took = {name: [answer[clock] for answer in answers] for name, answers in timings.items()}
                change, noise = ratio(took["new"], took["old"]), ratio(took["same"], took["new"])
                what = work if clock == "processor" else "    by the clock"
                before, now = (1e6 * statistics.median(took[name]) for name in ("old", "new"))
                print(f"{what:<60}{before:>11,.4g}{now:>11,.4g}   {change!s:<28}{noise!s}", flush=True)
                rows.append({"what": f"{work}, {clock}", "value": change.median, "microseconds": now})
                rows[-1] |= {"base_microseconds": before, "change": change, "noise": noise}
    return rows
