"""`surefoot hardness`: how hard an instance is."""

import argparse
import json
from typing import Any

SHOWN = 20  # arms

EXAMPLE = """\
example:
  surefoot hardness examples/steady.toml
  surefoot hardness examples/steady.toml --delta 0.01 --json
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "hardness",
        help="how hard an instance is, and how few pulls it can take",
        description="The hardness of an instance by every measure of the paper, its bounds, and the limit for anyone:\n"
        "T_star, limit_pulls and the shares of the pulls that attain it. - where undefined.",
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

    instance = Instance.load(options.file).but(delta=options.delta)
    instance.problem.check_new()
    found, limit = instance.hardness(), instance.limit
    shares = dict(zip(instance.problem.names, limit.weights, strict=True)) if limit else None
    if options.json:
        print(json.dumps(found | {"w_star": shares}))
    else:
        width = max(map(len, found))
        for name, value in found.items():
            print(f"{name:<{width}}  {'-' if value is None else f'{value:,.6g}'}")
        if shares:
            print("\nThe shares of the pulls that attain T_star:")
            width = max(map(len, shares))
            for name, share in sorted(shares.items(), key=lambda item: -item[1])[:SHOWN]:
                print(f"  {name:<{width}}  {share:.2%}")
            if len(shares) > SHOWN:
                print(f"  and {len(shares) - SHOWN} arms with smaller ones")
    return 0
