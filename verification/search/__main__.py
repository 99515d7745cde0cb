"""`python -m verification.search`: try to break every guarantee, and write what came of it."""

import argparse
import sys
from pathlib import Path

from surefoot.errors import ClusterLost, Interrupted, InvalidValue, SurefootError
from surefoot.paper.report import require_matplotlib
from surefoot.simulation.cluster import connect
from verification.search import page, tables
from verification.search.findings import Findings
from verification.search.plan import PLANS, Plan
from verification.search.run import run

EPILOG = """\
Interrupted, the same command goes on from what it finished, and ends with the same results, whatever the number of
workers. Exit code: 0 if nothing was found against any guarantee, 1 if something was, 3 if it was stopped with something
to go on from, 130 if with nothing, 2 for bad input.
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m verification.search", description=__doc__, epilog=EPILOG)
    parser.add_argument("--quick", action="store_true", help="representatives only: minutes, not hours")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the tasks whose names have this in them")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="same seed, same results (default: 0)")
    parser.add_argument(
        "--out", default="build/verification", metavar="DIR", help="folder of the report (default: %(default)s)"
    )
    parser.add_argument("--table", metavar="FILE", help="write the tables of the docs to this file too")
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: all cores)")
    parser.add_argument("--dask", metavar="ADDRESS", help="work on the Dask cluster of this scheduler instead")
    options = parser.parse_args(arguments)
    try:
        require_matplotlib()  # before hours of work, not after them
        plan = chosen(PLANS["quick" if options.quick else "full"](), options.only)
        client = connect(options.dask) if options.dask else None
        try:
            findings, made_by = run(plan, Path(options.out), seed=options.seed, workers=options.workers, client=client)
        finally:
            if client:
                client.close()
    except Interrupted as interruption:
        print(f"surefoot: {interruption}; the same command goes on from there", file=sys.stderr)
        return 1 if isinstance(interruption, ClusterLost) else 3 if interruption.finished else 130
    except SurefootError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return 2
    write(findings, plan, made_by, Path(options.out))
    if options.table:
        Path(options.table).write_text(markdown(findings, plan, made_by), encoding="utf-8")
    for sentence in (*tables.in_short(findings), *findings.objections()):
        print(sentence)
    print(f"The report is {Path(options.out) / 'report.html'}.")
    return 1 if findings.objections() else 0


def chosen(plan: Plan, only: str) -> Plan:
    """The tasks whose names have this in them."""
    tasks = [task for task in plan.tasks if only in task.name]
    if not tasks:
        raise InvalidValue(f"no task has {only!r} in its name, which is such as {plan.tasks[0].name!r}")
    left_out = [f"{len(plan.tasks) - len(tasks)} tasks whose names do not have {only!r} in them"] if only else []
    return plan._replace(tasks=tasks, left_out=plan.left_out + left_out)


def write(findings: Findings, plan: Plan, made_by: dict[str, str], out: Path) -> None:
    """The page, and the worst instances as problem files."""
    (out / "report.html").write_text(page.html(findings, plan.left_out, made_by), encoding="utf-8")
    (out / "worst").mkdir(exist_ok=True)
    for finding in findings.rates:
        head = "# broken on purpose\n" if finding.combination.broken else f"# {finding.command}\n"
        (out / "worst" / finding.file).write_text(head + finding.instance, encoding="utf-8")


def markdown(findings: Findings, plan: Plan, made_by: dict[str, str]) -> str:
    """What the docs include."""
    sound, broken = findings.sound(), findings.controls()
    made = ", ".join(f"{name} {made_by[name]}" for name in ("surefoot", "numpy", "numba", "machine", "sources"))
    lines = [f"Made by {made}, with seed {made_by['seed']}.", "", *tables.in_short(findings), ""]
    if plan.left_out:
        lines += ["This run left out:", "", *(f"- {sentence}" for sentence in plan.left_out), ""]
    for title, table in (
        ("How often each combination is wrong", tables.rates(sound.rates)),
        ("Negative controls of the search", tables.controls(broken)),
        ("Each bound alone", tables.single_bounds(sound.single_bounds)),
        ("Negative controls of bounds alone", tables.single_bounds(broken.single_bounds)),
    ):
        lines += [f"## {title}", "", table.markdown()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
