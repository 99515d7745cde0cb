"""`surefoot import`: a log into a study that is kept, which then goes on live."""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from surefoot.cli import program_options
from surefoot.errors import InvalidValue

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


def run(options: argparse.Namespace) -> int:
    from surefoot.cli.show import as_object, exit_code, print_study, warn
    from surefoot.problem import Problem
    from surefoot.storage import connect
    from surefoot.study import Study
    from surefoot.work.columns import bounds_of, together
    from surefoot.work.import_log import check, default_name, import_log
    from surefoot.work.logs import read_log
    from surefoot.work.run import Work
    from surefoot.work.stored_program import stored_program

    log = read_log(options.log, options.arm, options.reward, options.columns)
    fields = {name: value for name in FIELDS if (value := getattr(options, name)) is not None}
    with ExitStack() as stack:
        if options.problem:
            if fields:
                raise InvalidValue(f"--problem says it all, got --{next(iter(fields)).replace('_', '-')} too")
            work = Work(Path(options.problem), options.db, options.name, policy=options.policy, bounds=options.bounds)
            kept = stored_program(work.storage, work.name, None, None)["bounds"]
            work.bounds = work.bounds or kept or bounds_of(log, work.problem, work.policy)
            check(work.problem, log, work.policy, work.bounds)
            name, db = work.name, work.db
            study, _ = stack.enter_context(work.open())
        else:
            name = options.name or default_name(options.log)
            db = options.db or f"{Path(options.log).with_suffix('') if options.log != '-' else name}.db"
            storage = connect(db)
            names = stored_program(storage, name, options.policy, options.bounds)
            if options.append:
                study = Study.open(storage, name)
            elif "rewards" not in fields:
                raise InvalidValue("the range that rewards lie in must be given: --rewards LO HI, or --problem FILE")
            else:
                fields["rewards"] = tuple(fields["rewards"])
                problem = Problem.of(log.names, **fields)
                names["bounds"] = names["bounds"] or bounds_of(log, problem, names["policy"])
                check(problem, log, names["policy"], names["bounds"])
                study = Study.open(storage, name, problem, policy=names["policy"], bounds=names["bounds"])
        before = study.pulls
        count = import_log(study, log, options.append)
        late = count - (study.pulls - before)
    found = study.warnings + together(log, next(study.history(0, 1))["bounds"])
    warn(found)
    if options.json:
        counts = {"imported": count, "late": late, "skipped": log.skipped}
        warnings = [notice._asdict() for notice in found]
        print(json.dumps(as_object(study, name) | {"db": db, **counts, "warnings": warnings}))
    else:
        skipped = f", {log.skipped:,} with missing values left out" if log.skipped else ""
        uncounted = f"; {late:,} of them came after the decision and do not count" if late else ""
        print(f"{count:,} rewards taken into the study {name} in {db}{skipped}{uncounted}.\n")
        print_study(study)
    return exit_code(study)
