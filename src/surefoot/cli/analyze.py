"""`surefoot analyze`: what a log of outcomes already decides."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from surefoot.cli import picture, program_options

MANY = 30  # rows of the table that people get to see

EXAMPLE = """\
example:
  surefoot analyze log.csv --rewards 0 1 --risk "variance <= 0.04"
  surefoot analyze sales.csv --arm variant --reward revenue --rewards 0 500 --risk "quantile(0.05) >= 20"
  surefoot analyze times.parquet --columns old new --rewards 0 60 --goal min --risk "probability(reward > 30) <= 0.01"
  zcat log.csv.gz | surefoot analyze - --rewards 0 1 --json

LOG is a CSV, TSV or Parquet file, or - for standard input, with one row per reward (columns arm and reward) or one column
per arm. Rows are taken in file order as time order. Rows with missing values are skipped, and said to be. Rewards in one row
of a table may depend on each other, as those of one day do: it is decided by bounds that allow it. If you know that they do
not, --bounds tight decides sooner. Rewards of a log with columns arm and reward must not; if they may, say --bounds sharp.

The range of rewards is what every bound rests on. It must be known before the data are seen: the largest reward of a log
says nothing of a larger one still to come, so that a range read off the data would guarantee nothing.

Exit code: 0 if the log decides, 3 if it does not.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "analyze",
        help="what a log of outcomes already decides, and what to try next",
        description="Decide from a log that somebody else collected: the best arm within the limit, or what is left open.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("log", metavar="LOG", help="CSV, TSV or Parquet file; - for standard input")
    command.add_argument("--arm", metavar="COL", help="column with the arm's name (default: arm)")
    command.add_argument("--reward", metavar="COL", help="column with the reward (default: reward)")
    command.add_argument("--columns", nargs="+", metavar="COL", help="the arms' columns, where each arm has one")
    command.add_argument(
        "--rewards", nargs=2, type=float, required=True, metavar=("LO", "HI"), help="the range every reward lies in"
    )
    command.add_argument(
        "--risk", default="none", metavar="LIMIT", help='such as "variance <= 0.04" (docs/risks.md; default: none)'
    )
    command.add_argument("--risk-slack", type=float, default=0.0, metavar="E", help="accept a risk so far beyond it")
    command.add_argument("--goal", default="max", help="max, or min for the smallest mean (default: max)")
    command.add_argument(
        "--delta", type=float, default=0.05, metavar="D", help="probability of a wrong decision (default: 0.05)"
    )
    command.add_argument(
        "--tolerance", type=float, default=0.0, metavar="E", help="accept a mean within this of the best (default: 0)"
    )
    program_options.add_options(command)
    picture.add_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.cli.show import print_table, warn
    from surefoot.work.analysis import Analysis
    from surefoot.work.logs import read_log

    picture.check(options.picture)
    log = read_log(options.log, options.arm, options.reward, options.columns)
    analysis = Analysis(
        log,
        policy=options.policy,
        bounds=options.bounds,
        risk=options.risk,
        rewards=tuple(options.rewards),
        goal=options.goal,
        delta=options.delta,
        tolerance=options.tolerance,
        risk_slack=options.risk_slack,
    )
    decision = analysis.decision
    if log.skipped:
        print(f"surefoot: {log.skipped:,} rows or cells with a missing value were skipped", file=sys.stderr)
    warn(analysis.warnings)
    if options.json:
        found = asdict(decision) | {
            "arms": [asdict(row) for row in analysis.table()],
            "next": analysis.next,
            "skipped": log.skipped,
            "warnings": [notice._asdict() for notice in analysis.warnings],
        }
        print(json.dumps(found))
    else:
        print(f"{decision}\n")
        print_table(analysis.table_of(MANY))
        if len(log.names) > MANY:
            print(f"… and {len(log.names) - MANY:,} more arms (all of them with --json)")
        if analysis.next:
            print(f"\nNext, pull {' and '.join(analysis.next[:8])}{' and others' if len(analysis.next) > 8 else ''}.")
    if options.picture:
        picture.draw(analysis, options.picture, said=not options.json)
    return 0 if decision.status != "undecided" else 3
