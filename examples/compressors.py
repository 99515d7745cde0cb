"""Which compressor of the standard library saves most, if its saving must be steady?

A pull compresses one source file of the standard library, drawn at random with replacement, so that rewards are
independent draws by construction, and the answer is about these files. That files to come are like them is a model.
What a file saves is always the same, so it is measured once.
"""

import bz2
import functools
import lzma
import random
import sysconfig
import zlib
from collections.abc import Callable
from pathlib import Path

from surefoot import Deviation, Study, find_best

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib-1": lambda data: zlib.compress(data, 1),
    "zlib-6": lambda data: zlib.compress(data, 6),
    "bz2-9": lambda data: bz2.compress(data, 9),
    "lzma-0": lambda data: lzma.compress(data, preset=0),
    "lzma-6": lambda data: lzma.compress(data, preset=6),
}
FILES = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if path.stat().st_size > 2000)


@functools.cache
def content(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def saving(name: str, path: Path) -> float:
    """The share of a file that a compressor saves."""
    return max(0.0, 1.0 - len(COMPRESSORS[name](content(path))) / len(content(path)))


def main(seed: int = 0) -> Study:
    draw = random.Random(seed).choice

    def measure(name: str) -> Callable[[], float]:
        return lambda: saving(name, draw(FILES))

    measures = {name: measure(name) for name in COMPRESSORS}
    return find_best(measures, risk=Deviation(at_most=0.055), rewards=(0, 1), tolerance=0.01)


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
