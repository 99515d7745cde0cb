"""Compile the kernels of a study into the cache on disk: `python -m surefoot.study.compile_kernels`, for another process.

Standard input says which: the problem, policy and bounds, as JSON.
"""

import json
import os
import sys
from contextlib import suppress

from surefoot.problem import Problem
from surefoot.study.engine import Engine


def main() -> int:
    with suppress(OSError, AttributeError):
        os.nice(19)
    said = json.load(sys.stdin)
    engine = Engine(Problem.loads(said["problem"]), said["policy"], said["bounds"], seed=0)
    if not engine.is_kept_on_disk:
        print("compiled kernels cannot be kept on disk", file=sys.stderr)
        return 1
    engine.compile()
    return 0


if __name__ == "__main__":
    sys.exit(main())
