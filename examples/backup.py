"""Which compressor for a backup saves most, if it must be quick and must not need much memory?

A pull compresses one source file of the standard library, drawn at random with replacement, and measures three things: the
share of the file that is saved, the milliseconds it took, and the megabytes that the compressor asked for at its peak. Of
these files, saving and memory are draws by construction. Times are not: the machine does other things, and that they are
draws of one distribution is a model. A file that saves much may take long: metrics may depend on each other in any way.
"""

import bz2
import functools
import lzma
import random
import sysconfig
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

from surefoot import Study, find_best

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib-1": lambda data: zlib.compress(data, 1),
    "zlib-6": lambda data: zlib.compress(data, 6),
    "bz2-1": lambda data: bz2.compress(data, 1),
    "bz2-9": lambda data: bz2.compress(data, 9),
    "lzma-0": lambda data: lzma.compress(data, preset=0),
    "lzma-6": lambda data: lzma.compress(data, preset=6),
}
PICTURE = {"x": "quantile(0.9, milliseconds) <= 50"}  # what the picture shows across
FILES = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if path.stat().st_size > 2000)


@functools.cache
def content(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def sizes(name: str, path: Path) -> tuple[float, float]:
    """The share of a file that a compressor saves, and the megabytes that it needs: always the same, so measured once."""
    tracemalloc.start()
    try:
        packed = COMPRESSORS[name](content(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return max(0.0, 1.0 - len(packed) / len(content(path))), peak / 1e6


def milliseconds(name: str, path: Path) -> float:
    started = time.perf_counter()
    COMPRESSORS[name](content(path))
    return 1000.0 * (time.perf_counter() - started)


def main(seed: int = 0) -> Study:
    draw = random.Random(seed).choice

    def measure(name: str) -> dict[str, float]:
        path = draw(FILES)
        saving, memory = sizes(name, path)
        return {"saving": saving, "milliseconds": milliseconds(name, path), "memory": memory}

    return find_best(
        {name: functools.partial(measure, name) for name in COMPRESSORS},
        goal="max mean(saving)",
        metrics={"saving": (0, 1), "milliseconds": "any", "memory": "any"},
        limits=["quantile(0.9, milliseconds) <= 50", "probability(memory > 5) <= 0.05"],
        tolerance=0.01,
        max_pulls=10_000,
    )


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
