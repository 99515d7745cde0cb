"""`surefoot hardness`: how hard an instance is."""

import argparse
import json
from typing import Any

EXAMPLE = """\
example:
  surefoot hardness examples/steady.toml
  surefoot hardness examples/steady.toml --delta 0.01 --json
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "hardness",
        help="how hard an instance is, and the paper's bounds on the pulls it takes",
        description="The hardness of an instance by every measure of the paper, and its bounds; - where undefined.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help="problem file (TOML)")
    command.add_argument(
        "--delta", type=float, metavar="D", help="probability of a wrong decision (default: the file's)"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.simulation import Instance

    found = Instance.load(options.file).but(delta=options.delta).hardness()
    if options.json:
        print(json.dumps(found))
    else:
        width = max(map(len, found))
        for name, value in found.items():
            print(f"{name:<{width}}  {'-' if value is None else f'{value:,.6g}'}")
    return 0
