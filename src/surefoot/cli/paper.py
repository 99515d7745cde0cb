"""`surefoot paper`: the paper's experiments, beside its published numbers."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from surefoot.errors import ClusterLost, Interrupted

EXAMPLE = """\
example:
  surefoot paper --quick
  surefoot paper --case 1a --case cmp --out two-cases
  surefoot paper --dask tcp://10.0.0.1:8786

Cases: 1a, 1b, 1c, 1d, 2, 3, 4a, 4b, 4c, 4d, and cmp, the comparison of three algorithms.

If it is interrupted, the same command resumes it and ends with the same results.

Exit code: 0 if all is done, 3 if it was interrupted and can be resumed, 130 if it was interrupted before it had finished
anything, 1 if the cluster was lost.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "paper",
        help="reproduce the figures and tables of the paper, beside the published numbers and our default method",
        description="Run all experiments of the paper, and our default on the same instances; write results.csv, "
        "report.html and the pictures.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--trials", type=int, metavar="K", help="runs of each instance (default: 20; 5 if --quick)")
    command.add_argument(
        "--quick", action="store_true", help="only three instances of each case: under a minute on 2 cores"
    )
    command.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="CASE",
        help="only this case; may be repeated (default: all cases)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed: the same seed gives the same results (default: 0)"
    )
    command.add_argument("--out", default="paper", metavar="DIR", help="folder for the results (default: %(default)s)")
    command.add_argument("--workers", type=int, metavar="W", help="number of threads (default: one for each core)")
    command.add_argument(
        "--dask", metavar="ADDRESS", help="make the runs on the Dask cluster of the scheduler at this address"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.paper import report
    from surefoot.paper.reproduce import reproduce
    from surefoot.paper.reproduction_plan import QUICK_TRIALS, TRIALS, plan
    from surefoot.simulation.cluster import connect

    report.require_matplotlib()  # before minutes of work, not after them
    entries, out = plan(options.case, options.quick), Path(options.out)
    trials = (QUICK_TRIALS if options.quick else TRIALS) if options.trials is None else options.trials
    client = connect(options.dask) if options.dask else None
    try:
        results = reproduce(entries, out, trials=trials, seed=options.seed, workers=options.workers, client=client)
    except Interrupted as interruption:
        print(f"surefoot: {interruption}; the same command resumes it", file=sys.stderr)
        return 1 if isinstance(interruption, ClusterLost) else 3 if interruption.finished else 130
    finally:
        if client:
            client.close()
    files = report.write(results, out)
    findings = report.findings(results)
    if options.json:
        summary = {"out": str(out), "trials": trials, "seed": options.seed, "rows": len(results.rows)}
        told = [finding._asdict() for finding in findings]
        print(json.dumps(summary | {"files": [path.name for path in files], "findings": told}))
    else:
        for finding in findings:
            print(f"{finding}\n")
        print(f"results.csv, report.html and {len(files) - 2} pictures are in {out}.")
    return 0
