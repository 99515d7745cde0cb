"""`surefoot analyze`: what a log of outcomes already decides."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.cli import picture, program_options
from surefoot.errors import InvalidValue

FIELDS = ("risk", "rewards", "goal", "delta", "tolerance", "risk_slack")
MANY = 30  # rows of the table that people get to see
SUGGESTION = (
    "surefoot: If each row is an item that all arms were tried on, add --design items: "
    "it compares the arms on the same items, and decides sooner."
)

EXAMPLE = """\
example:
  surefoot analyze log.csv --rewards 0 1 --risk "variance <= 0.04"
  surefoot analyze sales.csv --arm variant --reward revenue --rewards 0 500 --risk "quantile(0.05) >= 20"
  surefoot analyze times.parquet --columns old new --rewards 0 60 --goal min --risk "probability(reward > 30) <= 0.01"
  surefoot analyze models.csv --problem models.toml
  surefoot analyze scores.csv --design items --finite --rewards 0 1
  zcat log.csv.gz | surefoot analyze - --rewards 0 1 --json

LOG is a CSV, TSV or Parquet file, or - for standard input. It has one row for each result (columns arm and reward), or one
column for each arm. Surefoot takes the order of the rows as their order in time. It skips rows with missing values and says
how many.

One column for each arm: the results in one row may depend on each other, as results of the same day do. Surefoot therefore
uses the bounds "sharp", which allow this. If you know that they are independent, --bounds tight decides sooner.
Columns arm and reward: the results of different arms must be independent. If they may not be, choose --bounds sharp.

With --problem the file says what is asked. The log has the columns arm and one for each metric, by its name; or a column for
each arm and metric, called arm:metric. Where the file names no arms they are those of the log.

--design items: every row is an item that the arms were tried on, so that they are compared on the same items. Or a row is
one result, and --item names the column with its item. An empty cell is taken to be missing at random. With --finite the
answer is about exactly these items, tried once each; without, they are a sample of more. Surefoot says what share of the
cells it needed, and which cells to fill next.

--rewards is the range that every possible result lies in. You must know it before you see the data: the largest result of a
log does not say that no larger one will come.

Exit code: 0 if the log decides, 3 if it does not.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "analyze",
        help="say what a log of results already decides, and what to try next",
        description="Read a log of results. Say which arm is the best within the limit, or which arms could still be.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("log", metavar="LOG", help="CSV, TSV or Parquet file; - for standard input")
    command.add_argument("--arm", metavar="COL", help="column that has the arm's name (default: arm)")
    command.add_argument("--reward", metavar="COL", help="column that has the result (default: reward)")
    command.add_argument(
        "--columns", nargs="+", metavar="COL", help="the columns to read, if each arm has its own column"
    )
    command.add_argument(
        "--rewards",
        nargs=2,
        type=float,
        metavar=("LO", "HI"),
        help="the range that every possible result lies in (or give --problem)",
    )
    command.add_argument(
        "--problem",
        metavar="FILE",
        help="problem file that says what is asked: goal, limits and metrics. The log has a column for each metric",
    )
    command.add_argument(
        "--risk",
        metavar="LIMIT",
        help='limit on the risk, such as "variance <= 0.04" (docs/risks.md; default: none)',
    )
    command.add_argument(
        "--risk-slack",
        type=float,
        metavar="E",
        help="how far an arm may be beyond the limit and still count as feasible (default: 0)",
    )
    command.add_argument("--goal", help="max: find the largest mean; min: find the smallest (default: max)")
    command.add_argument(
        "--delta",
        type=float,
        metavar="D",
        help="how probable a wrong decision may be, at most (default: 0.05)",
    )
    command.add_argument(
        "--tolerance",
        type=float,
        metavar="E",
        help="smallest difference in means that you care about (default: 0)",
    )
    command.add_argument(
        "--design",
        choices=["independent", "items"],
        help="items: arms were tried on the same items (default: independent)",
    )
    command.add_argument(
        "--item", metavar="COL", help="with --design items, the column that has the item (default: item)"
    )
    command.add_argument(
        "--finite",
        action="store_true",
        default=None,
        help="with --design items: the answer is about exactly these items, as if each arm were tried once on each",
    )
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="seed of the order of a finite list without empty cells (default: 0)",
    )
    program_options.add_options(command)
    picture.add_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.problem import Problem
    from surefoot.work.analysis import Analysis
    from surefoot.work.import_log import metrics_in
    from surefoot.work.logs import read_log

    picture.check(options.picture)
    if options.rewards is None and options.problem is None:
        raise InvalidValue("the range of the results is missing: give --rewards LO HI, or --problem FILE")
    fields = {name: value for name in FIELDS if (value := getattr(options, name)) is not None}
    if options.problem and fields:
        raise InvalidValue(
            f"the problem file describes the whole problem: give --problem without --{next(iter(fields)).replace('_', '-')}"
        )
    problem = Problem.load(options.problem, arms=["any"]) if options.problem else None
    if options.design == "items" or (problem and problem.items and options.design is None):
        return analyze_items(options, fields)
    for name in ("item", "finite"):
        if getattr(options, name):
            raise InvalidValue(f"--{name} goes with --design items, got it without")
    log = read_log(options.log, options.arm, options.reward, options.columns, metrics_in(options.problem))
    problem = Problem.load(options.problem, arms=log.names) if options.problem else None
    analysis = Analysis(log, policy=options.policy, bounds=options.bounds, problem=problem, **fields)
    if log.rows is not None and not options.json:
        print(SUGGESTION, file=sys.stderr)
    return report(options, analysis, log)


def analyze_items(options: argparse.Namespace, fields: dict[str, Any]) -> int:
    """Of arms that were tried on the same items."""
    from surefoot.problem import Problem
    from surefoot.work.import_log import metrics_in
    from surefoot.work.logs import ITEM_IF_THERE, read_log
    from surefoot.work.score_analysis import ScoreAnalysis

    metrics = metrics_in(options.problem)
    log = read_log(options.log, options.arm, options.reward, options.columns, metrics, options.item or ITEM_IF_THERE)
    problem = Problem.load(options.problem, arms=log.names) if options.problem else None
    for name, known in (("policy", "top-two"), ("bounds", "tight")):
        if getattr(options, name) not in (None, known):
            raise InvalidValue(f"--design items is decided by --{name} {known}, got {getattr(options, name)}")
    analysis = ScoreAnalysis(log, problem=problem, finite=options.finite, seed=options.seed, **fields)
    cells = analysis.missing.size
    said = [f"It needed {analysis.needed:,} of {cells:,} cells, {100.0 * analysis.share:.0f} %.", *analysis.assumptions]
    more = {
        "share": analysis.share,
        "cells": {"needed": analysis.needed, "all": cells, "empty": int(analysis.missing.sum())},
        "assumptions": analysis.assumptions,
        "next_cells": [cell._asdict() for cell in analysis.next_cells],
    }
    return report(options, analysis, log, said, more)


def report(
    options: argparse.Namespace,
    analysis: Any,
    log: Any,
    said: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
) -> int:
    """Print what was found; the exit code."""
    from surefoot.cli.show import print_table, warn

    decision = analysis.decision
    if log.skipped and not more:
        print(f"surefoot: rows or cells that were skipped because a value is missing: {log.skipped:,}", file=sys.stderr)
    warn(analysis.warnings)
    if options.json:
        found = decision.as_object() | {
            "spent": decision.pulls,
            "arms": [row.as_object() for row in analysis.table()],
            "next": analysis.next,
            "skipped": log.skipped,
            "warnings": [notice._asdict() for notice in analysis.warnings],
        }
        print(json.dumps(found | dict(more or {})))
    else:
        print("\n".join([f"{decision}", *said]) + "\n")
        print_table(analysis.table_of(MANY))
        if len(log.names) > MANY:
            print(f"and {len(log.names) - MANY:,} more arms (--json shows all)")
        print_next(analysis.next, more)
    if options.picture:
        picture.draw(analysis, options.picture, said=not options.json)
    return 0 if decision.status != "undecided" else 3


def print_next(arms: Sequence[str], more: Mapping[str, Any] | None) -> None:
    """What to try next."""
    if more and more["next_cells"]:
        cells = [f"{cell['arm']} on {cell['item']}" for cell in more["next_cells"][:4]]
        print(
            f"\nNext, try {', '.join(cells)}{' and others (--json shows more)' if len(more['next_cells']) > 4 else ''}."
        )
    elif arms:
        print(f"\nNext, pull {' and '.join(arms[:8])}{' and others' if len(arms) > 8 else ''}.")
