"""`surefoot hardness`: how hard an instance is."""

import argparse
import json
from typing import Any

from surefoot.display import columns

SHOWN = 20  # arms

EXAMPLE = """\
example:
  surefoot hardness examples/steady.toml
  surefoot hardness examples/steady.toml --delta 0.01 --json

The paper is Hou, Tan and Zhong, Almost Optimal Variance-Constrained Best Arm Identification. docs/limit.md explains T_star.
"""

MEANINGS = {
    "T_star": "how hard the instance is for any method: it needs T_star times a number that depends on delta only",
    "limit_pulls": "the fewest pulls that any method could need on average, at this delta",
    "H_VA": "how hard the instance is for VA-LUCB: a sum of 1 / gap² over the arms (Section IV)",
    "H_VA_slack": "the same if a variance may be above the limit by eps_v (Appendix A)",
    "H_1": "the same if there were no limit",
    "H_LIL1": "the same for the bounds lil: H^(1) of Remark 1",
    "H_LIL3": "the same for the bounds lil, with their iterated logarithm: H^(3) of Remark 1",
    "H_sigma": "the same for sub-Gaussian rewards (Appendix E)",
    "H_sigma_N": "H_sigma, or the number of arms if that is larger",
    "upper_bound_steps": "VA-LUCB takes at most so many steps, with probability 1 - delta (Theorem 1)",
    "upper_bound_pulls": "the same in pulls, of which a step makes at most two",
    "lower_bound": "any method needs at least so many pulls on average (Theorem 2)",
    "H_David": "H of RiskAverse-UCB-BAI, the method of David et al. (Appendix C)",
    "H_David_prime": "H' of the same",
    "C_sum": "the sum of C_i of the same",
    "upper_bound_David": "the upper bound on the steps of RiskAverse-UCB-BAI",
    "lower_bound_David": "the lower bound on the same, for delta < 0.01",
}


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "hardness",
        help="say how hard an instance is, and how few pulls it can take",
        description="Print how hard an instance is, by every measure of the paper, and the fewest pulls that any method "
        "could need on average.\nEach line says what its symbol means. A - means that the measure is not defined here.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help="problem file (TOML)")
    command.add_argument(
        "--delta",
        type=float,
        metavar="D",
        help="how probable a wrong decision may be, at most (default: the file's)",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.simulation import Instance

    instance = Instance.load(options.file).but(delta=options.delta)
    instance.problem.check_new()
    measures, limit = instance.hardness(), instance.limit
    shares = dict(zip(instance.problem.names, limit.weights, strict=True)) if limit else None
    if options.json:
        print(json.dumps(measures | {"w_star": shares}))
        return 0
    print(*columns([(name, shown(measures[name]), meaning) for name, meaning in MEANINGS.items()], right=[1]), sep="\n")
    if shares:
        print("\nw_star: a method that needs the fewest pulls gives each arm this share of them:")
        largest = sorted(shares.items(), key=lambda item: -item[1])[:SHOWN]
        print(*columns([(f"  {name}", f"{share:.1%}", "") for name, share in largest], right=[1]), sep="\n")
        if len(shares) > SHOWN:
            print(f"  and {len(shares) - SHOWN} more arms with smaller shares")
    return 0


def shown(value: float | None) -> str:
    """With four digits, or all before the point.

    >>> shown(3814185.6), shown(80.5556), shown(1e100), shown(None)
    ('3,814,186', '80.56', '1e+100', '-')
    """
    return "-" if value is None else f"{value:,.0f}" if 1e3 <= value < 1e12 else f"{value:.4g}"
