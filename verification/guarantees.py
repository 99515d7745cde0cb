"""What is guaranteed of every program, and how often it was wrong: `make guarantees` writes the table of the docs."""

import itertools
import sys
from pathlib import Path

from surefoot.core.registry import BOUNDS, POLICIES, family
from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Distribution, Normal, Uniform
from surefoot.problem.reward_models import Bounded, Gaussian, RewardModel, SubGaussian
from surefoot.simulation import Instance, simulate

DELTA = 0.05
PULLS = 3_000_000  # about as many for each instance, and at least FEW runs, at most MANY
FEW, MANY = 5, 1000

REWARDS: dict[str, RewardModel] = {"bounded": Bounded(), "subgaussian": SubGaussian(1.0), "gaussian": Gaussian()}
# Arms, the goal, and for each kind of limit test a limit to ask for.
INSTANCES: dict[str, list[tuple[dict[str, Distribution], str, dict[str, str]]]] = {
    "bounded": [
        (
            {"A": Beta(mean=0.6, variance=0.02), "B": Beta(mean=0.5, variance=0.02)},
            "max",
            {
                "variance": "variance <= 0.05",
                "quantile": "quantile(0.1) >= 0.25",
                "probability": "probability(reward < 0.2) <= 0.1",
                "cvar": "cvar(0.1) >= 0.2",
            },
        ),
        (
            {"A": Bernoulli(0.5), "B": Bernoulli(0.85), "C": Bernoulli(0.1)},
            "max",
            {
                "variance": "variance <= 0.2",
                "quantile": "quantile(0.3) >= 1",
                "probability": "probability(reward < 1) <= 0.3",
                "cvar": "cvar(0.5) >= 0.4",
            },
        ),
        (
            {"A": Uniform(0, 1), "B": Bernoulli(0.4)},
            "max",
            {
                "variance": "variance <= 0.05",
                "quantile": "quantile(0.8) <= 0.6",
                "probability": "probability(reward > 0.5) <= 0.25",
                "cvar": "cvar_upper(0.5) <= 0.6",
            },
        ),
        (
            {"A": Discrete((0.0, 1.0), (0.95, 0.05)), "B": Discrete((0.0, 0.2), (0.5, 0.5)), "C": Beta(a=0.1, b=1.9)},
            "max",
            {
                "variance": "variance <= 0.03",
                "quantile": "quantile(0.6) >= 0.1",
                "probability": "probability(reward < 0.2) <= 0.6",
                "cvar": "cvar(0.8) >= 0.05",
            },
        ),
        (
            {"A": Uniform(0.1, 0.5), "B": Beta(a=1.0, b=9.0), "C": Discrete((0.0, 1.0), (0.95, 0.05))},
            "min",
            {
                "variance": "variance <= 0.03",
                "quantile": "quantile(0.98) <= 0.6",
                "probability": "probability(reward > 0.6) <= 0.02",
                "cvar": "cvar_upper(0.05) <= 0.6",
            },
        ),
    ],
    "subgaussian": [
        (
            {"A": Normal(mean=0, variance=0.3), "B": Normal(mean=0.6, variance=0.3)},
            "max",
            {"variance": "variance <= 0.8"},
        ),
        ({"A": Normal(mean=0, variance=0.9), "B": Uniform(-1.2, 2.2)}, "max", {"variance": "variance <= 0.3"}),
        (
            {"A": Normal(mean=0, variance=0.2), "B": Normal(mean=1, variance=0.95)},
            "max",
            {"variance": "variance <= 0.6"},
        ),
    ],
    "gaussian": [
        (
            {"A": Normal(mean=0, variance=0.3), "B": Normal(mean=0.3, variance=0.3)},
            "max",
            {"variance": "variance <= 0.5"},
        ),
        (
            {"A": Normal(mean=0, variance=0.9), "B": Normal(mean=0.5, variance=0.7)},
            "min",
            {"variance": "variance <= 0.5"},
        ),
        (
            {"A": Normal(mean=0, variance=0.2), "B": Normal(mean=1, variance=0.9), "C": Normal(mean=-1, variance=9)},
            "max",
            {"variance": "variance <= 0.6"},
        ),
    ],
}

BY = {  # what proves the bounds, and what the policy adds
    ("tight", "bounded"): "our proof",
    ("tight", "gaussian"): "our proof",
    ("sharp", "bounded"): "our proof",
    ("sharp", "subgaussian"): "our proof",
    ("sharp", "gaussian"): "our proof",
    ("paper", "bounded"): "Theorem 1",
    ("lil", "bounded"): "Theorem 4 (App. F)",
    ("subgaussian", "subgaussian"): "App. E, our proof",
}


def measure(policy: str, bounds: str, kind: str, risk: str) -> tuple[int, int, float]:
    """Wrong and decided runs over the instances, and the highest rate of wrong ones."""
    wrong, decided, highest = 0, 0, 0.0
    for arms, goal, limits in INSTANCES[kind]:
        limit = "none" if risk == "none" else limits[risk]
        instance = Instance(arms, risk=limit, rewards=REWARDS[kind], goal=goal, delta=DELTA)
        cost = simulate(instance, policy, bounds, trials=2, progress=False).summary()["pulls"]["mean"]
        trials = int(min(max(PULLS / cost, FEW), MANY))
        summary = simulate(instance, policy, bounds, trials=trials, seed=1, progress=False).summary()
        ended = summary["correct"] + summary["wrong"]
        wrong, decided = wrong + summary["wrong"], decided + ended
        highest = max(highest, summary["wrong"] / ended if ended else 0.0)
    return wrong, decided, highest


def rows() -> list[str]:
    """The table, as Markdown."""
    lines = [
        f"Wrong answers at delta = {DELTA:g}, over {len(INSTANCES['bounded'])} instances of bounded, "
        f"{len(INSTANCES['subgaussian'])} of sub-Gaussian and {len(INSTANCES['gaussian'])} of Gaussian rewards.",
        "",
        "| policy | bounds | rewards | risk | guarantee | by | wrong / decided runs | highest rate |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for policy, bounds, kind in itertools.product(POLICIES, BOUNDS, REWARDS):
        known = family(policy, bounds, kind)
        for risk in known.limit_tests if known else ():
            own = policy == "risk-averse-ucb"
            guarantee = "delta-PAC up to eps_mu, eps_v" if own else "delta-PAC"
            by = "App. B, with the corrected line 12" if own else BY[bounds, kind]
            wrong, decided, highest = measure(policy, bounds, kind, risk)
            cells = (policy, bounds, kind, risk, guarantee, by, f"{wrong} / {decided:,}", f"{highest:.2%}")
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(rows()) + "\n")
