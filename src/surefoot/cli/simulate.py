"""`surefoot simulate`: run a policy many times against simulated arms."""

import argparse
import importlib
import json
import sys
from typing import TYPE_CHECKING, Any

from surefoot.cli import program_options
from surefoot.errors import ClusterLost, Interrupted, InvalidValue, SurefootError

if TYPE_CHECKING:
    from surefoot.simulation import Instance, Sweep

EXAMPLE = """\
example:
  surefoot simulate examples/steady.toml --trials 100
  surefoot simulate examples/steady.toml --bounds paper --trials 20 --seed 1 --json
  surefoot simulate examples/steady.toml --trials 10000 --dask tcp://10.0.0.1:8786

FILE is a problem file (TOML) whose arms have distributions or data:

  risk = "variance <= 0.04"
  rewards = [0, 1]
  [[arms]]
  name = "steady"
  beta = { mean = 0.55, variance = 0.01 }
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "simulate",
        help="simulate many runs of a policy, and count pulls and right decisions",
        description="Simulate many runs of a policy on arms with known distributions; count pulls and right decisions.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help="problem file (TOML)")
    program_options.add_options(command)
    command.add_argument(
        "--trials", type=int, default=20, metavar="K", help="number of simulated runs (default: %(default)s)"
    )
    command.add_argument(
        "--delta", type=float, metavar="D", help="how probable a wrong decision may be, at most (default: the file's)"
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed: the same seed gives the same results (default: 0)"
    )
    command.add_argument(
        "--max-pulls",
        type=int,
        metavar="M",
        help="end a run as undecided after so many pulls (default: the file's, or 100 million)",
    )
    command.add_argument("--workers", type=int, metavar="W", help="number of threads (default: one for each core)")
    command.add_argument(
        "--dask", metavar="ADDRESS", help="make the runs on the Dask cluster of the scheduler at this address"
    )
    command.add_argument(
        "--engine",
        default="compiled",
        help="compiled, or interpreted: slower, with the same results (default: compiled)",
    )
    command.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="MODULE",
        help="Python module that registers your own bounds, policies or risks (docs/own.md); may be repeated",
    )
    command.add_argument("--csv", metavar="OUT", help="also write a CSV file with one row for each run")
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.simulation import Instance

    for module in options.imports:
        import_own(module)
    if options.csv:
        check_writable(options.csv)  # before the work, not after it
    instance = Instance.load(options.file)
    instance.problem.but(delta=options.delta).check_new()
    sweep, code = swept(instance, options)
    if code and not sweep.runs:
        return code
    summary = sweep.summary()
    if options.csv:
        sweep.to_csv(options.csv)
    if options.json:
        print(json.dumps(summary | {"interrupted": code != 0}))
    else:
        print(sweep)
    if summary["undecided"]:
        print(f"surefoot: {undecided(summary)}", file=sys.stderr)
    return code or (3 if summary["undecided"] == summary["trials"] else 0)


def swept(instance: "Instance", options: argparse.Namespace) -> "tuple[Sweep, int]":
    """The sweep, or what was finished of it; and the exit code that an interruption has, else 0."""
    from surefoot.simulation import simulate
    from surefoot.simulation.cluster import connect

    client = connect(options.dask) if options.dask else None
    try:
        sweep = simulate(
            instance,
            policy=options.policy,
            bounds=options.bounds,
            trials=options.trials,
            delta=options.delta,
            seed=options.seed,
            workers=options.workers,
            max_pulls=options.max_pulls,
            engine=options.engine,
            client=client,
        )
    except Interrupted as interruption:
        print(f"surefoot: {interruption}", file=sys.stderr)
        return interruption.finished, 1 if isinstance(interruption, ClusterLost) else 130
    finally:
        if client:
            client.close()
    return sweep, 0


def undecided(summary: dict[str, Any]) -> str:
    """How many runs ended so, and the cure."""
    count = f"{summary['undecided']} of {summary['trials']} runs ended undecided after {summary['max_pulls']:,} pulls"
    return (
        f"{count}: raise --max-pulls. If two arms tie, give a tolerance; if an arm is on its limit, give a risk_slack"
    )


def check_writable(path: str) -> None:
    try:
        open(path, "a", encoding="utf-8").close()
    except OSError as error:
        raise InvalidValue(f"cannot write {path}: {error.strerror}") from error


def import_own(name: str) -> None:
    """Import a module of the user's, from the folder that the command was given in or from wherever Python looks."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        importlib.import_module(name)
    except SurefootError:
        raise
    except Exception as error:
        raise InvalidValue(f"--import must name a module that can be imported, got {name!r}: {error}") from error
