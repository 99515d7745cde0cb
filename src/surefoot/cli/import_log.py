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

LOG is a CSV, TSV or Parquet file, or - for standard input: columns arm and reward, or a column for each arm (a new study of
such a table has the bounds sharp, which allow dependence between columns). Its rows
are taken in their order, which must be that of time. With a problem file the study is the one that `surefoot run` goes
on with; else it is created from the options, and goes on in Python: Study.open("studies.db", "outcomes").
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "import",
        help="a log into a study that is kept, which then goes on live",
        description="Take the rewards of a log into a study that is kept, which then goes on live.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("log", metavar="LOG", help="CSV, TSV or Parquet file, or - for standard input")
    command.add_argument("--problem", metavar="FILE", help="problem file (TOML) that the rewards are for")
    command.add_argument(
        "--db", metavar="URL", help="where it is kept: a file or postgresql://… (default: beside FILE or LOG)"
    )
    command.add_argument("--name", metavar="STUDY", help="what the study is called (default: FILE's or LOG's name)")
    command.add_argument("--arm", metavar="COL", help="column that names the arm (default: arm)")
    command.add_argument("--reward", metavar="COL", help="column of rewards (default: reward)")
    command.add_argument("--columns", nargs="+", metavar="COL", help="the arms' columns, where each arm has one")
    command.add_argument("--risk", metavar="R", help='limit, such as "variance <= 0.04" (default: none)')
    command.add_argument("--rewards", type=float, nargs=2, metavar=("LO", "HI"), help="range that rewards lie in")
    command.add_argument("--goal", choices=("max", "min"), help="(default: max)")
    command.add_argument("--delta", type=float, metavar="D", help="probability of a wrong decision (default: 0.05)")
    command.add_argument("--tolerance", type=float, metavar="T", help="smallest difference you care about (default: 0)")
    command.add_argument("--risk-slack", type=float, metavar="E", help="accept a risk so far beyond it (default: 0)")
    program_options.add_options(command, f"the study's own, or {program_options.FEWEST}")
    command.add_argument("--append", action="store_true", help="add to a study that has rewards already")
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
    from surefoot.work.import_log import import_log
    from surefoot.work.logs import read_log

    log = read_log(options.log, options.arm, options.reward, options.columns)
    fields = {name: value for name in FIELDS if (value := getattr(options, name)) is not None}
    with of_problem(options, log, fields) if options.problem else of_options(options, log, fields) as opened:
        study, before = opened.study, opened.study.pulls
        count = import_log(study, log, options.append)
        late = count - (study.pulls - before)
    begun = next(study.history(0, 1))
    program = choice.program(study.problem, begun["policy"], begun["bounds"])
    warnings = study.warnings + dependent(log, begun["bounds"], program.mean_bound.PAIRS)
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
        raise InvalidValue(f"--problem says it all, got --{next(iter(fields)).replace('_', '-')} too")
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
        raise InvalidValue("the range that rewards lie in must be given: --rewards LO HI, or --problem FILE")
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

    left_out = f", {skipped:,} with missing values left out" if skipped else ""
    uncounted = f"; {late:,} of them came after the decision and do not count" if late else ""
    print(f"{count:,} rewards taken into the study {opened.name} in {opened.db}{left_out}{uncounted}.\n")
    print_study(opened.study)
