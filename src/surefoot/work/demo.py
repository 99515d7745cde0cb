"""The demo: which compressor of the standard library saves most on its own source files, if the saving must be steady?

A pull draws a file with replacement and compresses it, so rewards are independent draws by construction. A file that a
compressor has met before is not compressed again: its saving is known.
"""

import bz2
import functools
import lzma
import random
import sysconfig
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib-1": lambda data: zlib.compress(data, 1),
    "zlib-6": lambda data: zlib.compress(data, 6),
    "zlib-9": lambda data: zlib.compress(data, 9),
    "bz2-9": lambda data: bz2.compress(data, 9),
    "lzma-0": lambda data: lzma.compress(data, preset=0),
    "lzma-6": lambda data: lzma.compress(data, preset=6),
}
PROBLEM: dict[str, Any] = {"risk": "std <= 0.055", "rewards": (0, 1), "delta": 0.05, "tolerance": 0.01}
QUESTION = (
    "Which compressor of the standard library saves most on its source files, if the standard deviation of the saving "
    "may be at most 0.055? Each pull compresses a file drawn at random. Means within 0.01 count as equal."
)


def measures(seed: int) -> dict[str, Callable[[], float]]:
    """For each compressor, a callable that compresses a random file and returns the share of it saved."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in folder.glob("*.py") if path.stat().st_size > 2000)
    generator = random.Random(seed)

    @functools.cache
    def saving(name: str, path: Path) -> float:
        data = path.read_bytes()
        return max(0.0, 1.0 - len(COMPRESSORS[name](data)) / len(data))

    def measure(name: str) -> Callable[[], float]:
        return lambda: saving(name, generator.choice(files))

    return {name: measure(name) for name in COMPRESSORS}
