"""Which compressor of the standard library saves most, if its saving must be steady?

All compressors are tried on the same files: the source files of the standard library, in random order. What a compressor
saves on a file is always the same, so that the list can be finite: the answer is about exactly these files. That files to
come are like them is a model.
"""

import bz2
import lzma
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
FOLDER = Path(sysconfig.get_path("stdlib"))
FILES = sorted(path.name for path in FOLDER.glob("*.py") if path.stat().st_size > 2000)


def saving(name: str) -> Callable[[str], float]:
    """The share of a file that a compressor saves."""

    def measure(file: str) -> float:
        data = (FOLDER / file).read_bytes()
        return max(0.0, 1.0 - len(COMPRESSORS[name](data)) / len(data))

    return measure


def main(seed: int = 0) -> Study:
    measures = {name: saving(name) for name in COMPRESSORS}
    risk = Deviation(at_most=0.055)
    return find_best(measures, risk=risk, rewards=(0, 1), design="items", items=FILES, finite=True, seed=seed)


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
