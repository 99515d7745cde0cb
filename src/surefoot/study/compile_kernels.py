"""Compile the kernels of a study into the cache on disk: `python -P -m surefoot.study.compile_kernels`, for another process.

Standard input says which: the problem, policy and bounds, as JSON. Standard output says of which version they are, so that
the other process knows whether they are those that it has.
"""

import json
import os
import sys
from contextlib import suppress

from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.snapshot import version


def main() -> int:
    from surefoot.compiled import can_be_kept

    with suppress(OSError, AttributeError):
        os.nice(19)
    said = json.load(sys.stdin)
    if not can_be_kept():
        print("compiled kernels cannot be kept on disk", file=sys.stderr)
        return 1
    Engine(Problem.loads(said["problem"]), said["policy"], said["bounds"], seed=0).compile()
    print(version(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
