"""The demo: which compressor of the standard library saves most on its own source files, if the saving must be steady?

All compressors are tried on the same files. What a file saves is the same each time, so that the question is about exactly
these files: a finite list, in random order.
"""

import bz2
import lzma
import sysconfig
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot.study import Study
from surefoot.work.find_best import find_best

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib-1": lambda data: zlib.compress(data, 1),
    "zlib-6": lambda data: zlib.compress(data, 6),
    "zlib-9": lambda data: zlib.compress(data, 9),
    "bz2-9": lambda data: bz2.compress(data, 9),
    "lzma-0": lambda data: lzma.compress(data, preset=0),
    "lzma-6": lambda data: lzma.compress(data, preset=6),
}
FOLDER = Path(sysconfig.get_path("stdlib"))
PROBLEM: dict[str, Any] = {"risk": "std <= 0.055", "rewards": (0, 1), "delta": 0.05}
QUESTION = (
    "Which compressor of the standard library saves most on its source files, if the standard deviation of the saving "
    "may be at most 0.055? All compressors are tried on the same {files:,} files, in one random order."
)


def files() -> list[str]:
    """The names of the files that are compressed."""
    return sorted(path.name for path in FOLDER.glob("*.py") if path.stat().st_size > 2000)


def measures() -> dict[str, Callable[[str], float]]:
    """For each compressor, a callable that compresses a file and returns the share of it saved."""

    def measure(name: str) -> Callable[[str], float]:
        return lambda file: saving(name, file)

    return {name: measure(name) for name in COMPRESSORS}


def saving(name: str, file: str) -> float:
    data = (FOLDER / file).read_bytes()
    return max(0.0, 1.0 - len(COMPRESSORS[name](data)) / len(data))


def decide(seed: int = 0, progress: bool | None = None) -> Study:
    """Measure until it is decided; the seed is that of the order of files."""
    return find_best(measures(), design="items", items=files(), finite=True, seed=seed, progress=progress, **PROBLEM)
