"""`surefoot import`: a log into a study that is kept, which then goes on live."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from surefoot.cli import program_options
from surefoot.errors import InvalidValue

if TYPE_CHECKING:
    from surefoot.storage import Storage
    from surefoot.study import Study
    from surefoot.study.views.notices import Notice
    from surefoot.work.logs import Log

EXAMPLE = """\
example:
  surefoot import outcomes.csv --problem speed.toml; surefoot run speed.toml
  surefoot import outcomes.csv --arm variant --reward revenue --risk "std <= 20" --rewards 0 100 --db studies.db

LOG is a CSV, TSV or Parquet file, or - for standard input. It has columns arm and reward, or one column for each arm (a new
study then has the bounds "sharp", which allow columns to depend on each other). The order of the rows must be their order in
time.

With --problem, `surefoot run` continues the study. Without it, the options describe the study, and you can
continue it in Python: Study.open("studies.db", "outcomes").
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "import",
        help="add the results of a log to a stored study, which you can then continue",
        description="Add the results of a log to a stored study. You can then continue the study with new pulls.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("log", metavar="LOG", help="CSV, TSV or Parquet file; - for standard input")
    command.add_argument("--problem", metavar="FILE", help="problem file (TOML) that the results belong to")
    command.add_argument(
        "--db",
        metavar="URL",
        help="where the study is stored: a file or postgresql://… (default: a .db file beside FILE or LOG)",
    )
    command.add_argument("--name", metavar="STUDY", help="name of the study (default: the name of FILE or LOG)")
    command.add_argument("--arm", metavar="COL", help="column that has the arm's name (default: arm)")
    command.add_argument("--reward", metavar="COL", help="column that has the result (default: reward)")
    command.add_argument(
        "--columns", nargs="+", metavar="COL", help="the columns to read, if each arm has its own column"
    )
    command.add_argument("--risk", metavar="R", help='limit on the risk, such as "variance <= 0.04" (default: none)')
    command.add_argument(
        "--rewards", type=float, nargs=2, metavar=("LO", "HI"), help="range that every possible result lies in"
    )
    command.add_argument(
        "--goal", choices=("max", "min"), help="max: find the largest mean; min: find the smallest (default: max)"
    )
    command.add_argument(
        "--delta", type=float, metavar="D", help="how probable a wrong decision may be, at most (default: 0.05)"
    )
    command.add_argument(
        "--tolerance", type=float, metavar="T", help="smallest difference in means that you care about (default: 0)"
    )
    command.add_argument(
        "--risk-slack",
        type=float,
        metavar="E",
        help="how far an arm may be beyond the limit and still count as feasible (default: 0)",
    )
    program_options.add_options(command, f"that of the study, or for a new one {program_options.FEWEST}")
    command.add_argument("--append", action="store_true", help="add to a study that already has results")
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


FIELDS = ("risk", "rewards", "goal", "delta", "tolerance", "risk_slack")


class Opened(NamedTuple):
    """The study that a log is imported into, and where it is kept."""

    study: "Study"
    name: str
    db: str


def run(options: argparse.Namespace) -> int:
    from surefoot.cli.show import exit_code, warn
    from surefoot.problem import choice
    from surefoot.work.columns import dependent
    from surefoot.work.import_log import import_log, item_column, metrics_in
    from surefoot.work.logs import read_log

    metrics, item = metrics_in(options.problem), item_column(options.problem)
    log = read_log(options.log, options.arm, options.reward, options.columns, metrics, item)
    fields = {name: value for name in FIELDS if (value := getattr(options, name)) is not None}
    with of_problem(options, log, fields) if options.problem else of_options(options, log, fields) as opened:
        study, before = opened.study, opened.study.pulls
        count = import_log(study, log, options.append)
        late = count - (study.pulls - before)
    begun = next(study.history(0, 1))
    program = choice.program(study.problem, begun["policy"], begun["bounds"])
    warnings = study.warnings
    if not study.problem.items:  # on the same items, arms may depend on each other
        warnings = warnings + dependent(log, begun["bounds"], program.mean_bound.PAIRS)
    warn(warnings)
    if options.json:
        print_object(opened, warnings, {"imported": count, "late": late, "skipped": log.skipped})
    else:
        print_words(opened, count, late, log.skipped)
    return exit_code(study)


@contextmanager
def of_problem(options: argparse.Namespace, log: "Log", fields: dict[str, Any]) -> Iterator[Opened]:
    """The study that `surefoot run` of the problem file goes on with; nobody else runs it meanwhile."""
    from surefoot.work.columns import bounds_of
    from surefoot.work.import_log import check
    from surefoot.work.run import Work
    from surefoot.work.stored_program import stored_program

    if fields:
        raise InvalidValue(
            f"the problem file describes the whole problem: give --problem without --{next(iter(fields)).replace('_', '-')}"
        )
    work = Work(Path(options.problem), options.db, options.name, policy=options.policy, bounds=options.bounds)
    stored = stored_program(work.storage, work.name, None, None)["bounds"]
    work.bounds = work.bounds or stored or bounds_of(log, work.problem, work.policy)
    check(work.problem, log, work.policy, work.bounds)
    with work.open() as (study, _):
        yield Opened(study, work.name, work.db)


@contextmanager
def of_options(options: argparse.Namespace, log: "Log", fields: dict[str, Any]) -> Iterator[Opened]:
    """The study that the options describe, or with --append the one of that name."""
    from surefoot.storage import connect
    from surefoot.study import Study
    from surefoot.work.import_log import default_name
    from surefoot.work.stored_program import stored_program

    name = options.name or default_name(options.log)
    db = options.db or f"{Path(options.log).with_suffix('') if options.log != '-' else name}.db"
    storage = connect(db)
    program = stored_program(storage, name, options.policy, options.bounds)
    if options.append:
        study = Study.open(storage, name)
    elif "rewards" not in fields:
        raise InvalidValue("the range of the results is missing: give --rewards LO HI, or --problem FILE")
    else:
        study = created(storage, name, log, fields, program)
    yield Opened(study, name, db)


def created(
    storage: "Storage", name: str, log: "Log", fields: dict[str, Any], program: dict[str, str | None]
) -> "Study":
    """A study whose arms are those of the log."""
    from surefoot.problem import Problem
    from surefoot.study import Study
    from surefoot.work.columns import bounds_of
    from surefoot.work.import_log import check

    problem = Problem.of(log.names, **fields | {"rewards": tuple(fields["rewards"])})
    policy, bounds = program["policy"], program["bounds"] or bounds_of(log, problem, program["policy"])
    check(problem, log, policy, bounds)
    return Study.open(storage, name, problem, policy=policy, bounds=bounds)


def print_object(opened: Opened, warnings: "list[Notice]", counts: dict[str, int]) -> None:
    from surefoot.cli.show import as_object

    more = {"db": opened.db, **counts, "warnings": [notice._asdict() for notice in warnings]}
    print(json.dumps(as_object(opened.study, opened.name) | more))


def print_words(opened: Opened, count: int, late: int, skipped: int) -> None:
    from surefoot.cli.show import print_study

    left_out = f" (skipped because a value is missing: {skipped:,})" if skipped else ""
    uncounted = f"; {late:,} of them came after the decision and do not count" if late else ""
    print(f"{count:,} results were added to the study {opened.name} in {opened.db}{left_out}{uncounted}.\n")
    print_study(opened.study)
