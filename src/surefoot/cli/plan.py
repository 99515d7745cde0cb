"""`surefoot plan`: how many pulls a problem will take, before the first one is made."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from surefoot.cli import picture, program_options
from surefoot.display import columns
from surefoot.errors import Interrupted

if TYPE_CHECKING:
    from surefoot.work.plan import Outcome, Plan

MANY = 30  # arms that people get to see
NUMBERS = range(1, 5)  # the columns of them
HEADS = ("on average", "half of runs, at most", "9 of 10, at most", "99 of 100, at most")

EXAMPLE = """\
example:
  surefoot plan examples/steady.toml
  surefoot plan guesses.toml --trials 500 --picture plan.png

FILE is a problem file (TOML) in which you guess the distribution of each arm. A number of a beta, normal or bernoulli
distribution may be a range; each simulated run then draws its own number from that range:

  risk = "variance <= 0.04"
  rewards = [0, 1]
  [[arms]]
  name = "new"
  beta = { mean = [0.4, 0.6], variance = 0.01 }

Exit code: 0, or 3 if no simulated run came to a decision within --max-pulls.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "plan",
        help="say how many pulls a decision will probably take, before you make the first one",
        description="Simulate a problem with arms as you guess them. Say how many pulls a decision takes, for each arm and "
        "in all, and how many it would take with one more arm, a smaller delta or a stricter limit.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help="problem file (TOML) with your guesses")
    program_options.add_options(command)
    command.add_argument(
        "--trials", type=int, default=200, metavar="K", help="simulated runs of each variant (default: %(default)s)"
    )
    command.add_argument(
        "--delta", type=float, metavar="D", help="how probable a wrong decision may be, at most (default: the file's)"
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed: the same seed gives the same results (default: 0)"
    )
    command.add_argument(
        "--max-pulls", type=int, metavar="M", help="end a run as undecided after so many pulls (default: 10 million)"
    )
    command.add_argument("--workers", type=int, metavar="W", help="number of threads (default: one for each core)")
    picture.add_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.work.guesses import Guesses
    from surefoot.work.plan import plan

    picture.check(options.picture)
    guesses = Guesses.load(options.file).but(delta=options.delta, max_pulls=options.max_pulls)
    guesses.middle.problem.check_new()
    code = 0
    try:
        planned = plan(
            guesses,
            policy=options.policy,
            bounds=options.bounds,
            trials=options.trials,
            seed=options.seed,
            workers=options.workers,
        )
    except Interrupted as interruption:
        print(f"surefoot: {interruption}", file=sys.stderr)
        planned, code = interruption.finished, 130
        if not planned.base.runs:
            return code
    for warning in planned.warnings:
        print(f"surefoot: {warning}", file=sys.stderr)
    if options.json:
        print(json.dumps(as_data(planned, options) | {"interrupted": code != 0}))
    else:
        print(as_text(planned))
    if options.picture:
        from surefoot.work.plan_plot import paint

        picture.save(lambda figure: paint(planned, figure), options.picture, size=(10, 4.4), said=not options.json)
    return code or (3 if planned.base.undecided == len(planned.base.runs) else 0)


def as_data(plan: "Plan", options: argparse.Namespace) -> dict[str, Any]:
    base, instance = plan.base, plan.base.guesses.middle
    hardness = instance.hardness()
    return {
        "policy": plan.policy,
        "bounds": plan.bounds,
        "delta": instance.problem.delta,
        "trials": len(base.runs),
        "seed": options.seed,
        "max_pulls": plan.max_pulls,
        "pulls": base.pulls(),
        "arms": [{"name": name, "pulls": base.pulls(arm)} for arm, name in enumerate(instance.problem.names)],
        "decisions": base.decisions(),
        "undecided": base.undecided,
        "bought": base.bought,
        "T_star": hardness["T_star"],
        "limit_pulls": hardness["limit_pulls"],
        "costs": [
            {"change": cost.change, "pulls": cost.pulls(), "times": cost.compared(base), "undecided": cost.undecided}
            for cost in plan.costs
        ],
        "warnings": list(plan.warnings),
    }


def as_text(plan: "Plan") -> str:
    base = plan.base
    pulls, names = base.pulls(), base.guesses.middle.problem.names
    answers = ", ".join(f"{name} in {count:,}" for name, count in list(base.decisions().items())[:5])
    unfinished = len(base.runs) < plan.trials
    least = "at least " if base.undecided or unfinished else ""
    of_all = f" of {plan.trials:,}" if unfinished else ""
    takes = f"A decision takes {least}{pulls['mean']:,.0f} pulls on average"
    spread = f": at most {pulls['p50']:,.0f} in half of the runs, at most {pulls['p90']:,.0f} in 9 of 10"
    lines = [
        f"{takes}{'' if least else spread}.",
        f"The answer in {len(base.runs):,}{of_all} simulated runs: {answers}.",
        *([budget(plan)] if base.undecided else []),
        "",
    ]
    rows = [(name, *numbers(base, arm), "") for arm, name in enumerate(names)]
    rows = sorted(rows, key=lambda row: -base.pulls(names.index(row[0]))["mean"])[:MANY] if len(rows) > MANY else rows
    lines += columns([("pulls of", *HEADS, ""), *rows, ("all arms", *numbers(base), "")], right=NUMBERS)
    if len(names) > MANY:
        lines.append(f"and {len(names) - MANY:,} more arms (--json shows all)")
    if plan.costs:
        costs = [(cost.change, *numbers(cost), times(cost.compared(base))) for cost in plan.costs]
        heads = ("pulls of all arms with", *HEADS, "")
        lines += ["", *columns([heads, *costs], right=NUMBERS)]
    return "\n".join(lines)


def budget(plan: "Plan") -> str:
    """What the maximum of pulls is likely to buy."""
    decided, right = (f"{100 * share:.0f} %" for share in plan.base.bought.values())
    return (
        f"{plan.max_pulls:,} pulls decide {decided} of the runs; the recommendation at their end is right in {right}."
    )


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f} times as many"


def numbers(outcome: "Outcome", arm: int | None = None) -> tuple[str, ...]:
    return tuple(f"{value:,.0f}" for value in outcome.pulls(arm).values())
