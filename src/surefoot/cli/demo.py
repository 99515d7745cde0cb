"""`surefoot demo`: a real problem, measured and decided in front of you."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from surefoot.errors import Interrupted, InvalidValue

EXAMPLE = """\
example:
  surefoot demo --picture demo.png
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "demo",
        help="a real problem, measured and decided in front of you",
        description="Find the standard-library compressor that saves most with a steady saving, on the standard library.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--seed", type=int, default=0, metavar="S", help="of the random choice of files (default: 0)")
    command.add_argument("--picture", metavar="FILE", help="also draw the decision (PNG, SVG or PDF)")
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.cli.live import Display
    from surefoot.study import find_best
    from surefoot.work import demo

    if not options.json:
        print(demo.QUESTION + "\n", flush=True)
    try:
        with Display(wanted=not options.json) as display:
            study = find_best(demo.measures(options.seed), progress=False, watch=display, **demo.PROBLEM)
    except Interrupted as interruption:
        print(f"surefoot: {interruption}", file=sys.stderr)
        return 130
    decision = study.decision
    drawn = draw(study, options.picture) if options.picture else None
    if options.json:
        arms = [asdict(row) for row in study.table()]
        print(json.dumps({"status": decision.status, "arm": decision.arm, "pulls": decision.pulls, "arms": arms}))
    else:
        print(f"{study.table()}\n\n{decision}\n")
        if drawn:
            print(f"The picture is in {drawn}.")
        print("Next: `surefoot simulate --help`, or a study of your own in Python: see README.md.")
    return 0 if decision.status != "undecided" else 3


def draw(study: Any, path: str) -> str | None:
    """Draw the study into a file; its name, or None if there is no matplotlib."""
    from surefoot.study.plot import plot

    return save_picture(lambda figure: plot(study, figure.subplots()), path)


def save_picture(paint: Callable[[Any], Any], path: str, size: tuple[float, float] = (7.2, 4.6)) -> str | None:
    """Write a picture to a file; its name, or None if there is no matplotlib."""
    try:
        import matplotlib
    except ImportError:
        print("surefoot: no picture, it needs matplotlib: pip install 'surefoot[plot]'", file=sys.stderr)
        return None
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, layout="constrained")
    try:
        paint(figure)
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InvalidValue(f"cannot write the picture {path}: {error}") from error
    finally:
        plt.close(figure)
    return path
