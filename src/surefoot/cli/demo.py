"""`surefoot demo`: measure and decide a real problem while you watch."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from surefoot.cli import picture
from surefoot.errors import Interrupted

EXAMPLE = """\
example:
  surefoot demo --picture demo.png
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "demo",
        help="measure and decide a real problem while you watch",
        description="Which compressor of Python's library saves most, if the saving must not vary much from file to file?",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the random order of files (default: 0)"
    )
    picture.add_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.work import demo

    picture.check(options.picture)
    if not options.json:
        print(demo.QUESTION.format(files=len(demo.files())) + "\n", flush=True)
    try:
        study = demo.decide(options.seed, progress=not options.json)
    except Interrupted as interruption:
        print(f"surefoot: {interruption}", file=sys.stderr)
        return 130
    decision = study.decision
    if options.json:
        arms = [asdict(row) for row in study.table()]
        print(json.dumps({"status": decision.status, "arm": decision.arm, "pulls": decision.pulls, "arms": arms}))
    else:
        print(f"{study.table()}\n\n{decision}\n")
        print("Next, decide a problem of your own: `surefoot run --help`, or from Python as in README.md.")
    if options.picture:
        picture.draw(study, options.picture, said=not options.json)
    return 0 if decision.status != "undecided" else 3
