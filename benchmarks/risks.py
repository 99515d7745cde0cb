"""Pulls until one arm is known to be within a limit, or beyond it: our tests against the straightforward ones.

Those are Hoeffding's inequality for the share of bad rewards, and the Dvoretzky-Kiefer-Wolfowitz band for cvar, each at
the same level and with a union over the number of pulls. They are given up at CAP pulls, which then count for theirs.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import Bernoulli, Beta, Cvar, Discrete, Instance, Probability, Quantile, Uniform, simulate
from surefoot.problem.risks import Risk

DELTA = 0.05
TRIALS = 5
CAP = 1_000_000
ARMS = {
    "bell": Beta(mean=0.5, variance=0.02),
    "flat": Uniform(0.1, 1.0),
    "skewed": Beta(a=6.0, b=0.8),
    "U-shaped": Beta(a=0.5, b=0.3),
    "rare loss": Discrete((0.0, 0.5, 0.7, 0.9), (0.02, 0.08, 0.3, 0.6)),
    "coin": Bernoulli(0.94),
}
SHARES = (0.01, 0.05, 0.2)
APART = (0.05, 0.1, 0.2)  # limits of quantile and cvar from the risk itself
TIMES = (0.25, 0.5, 2.0, 4.0)  # probabilities of a bad reward over the share allowed


def limits(arm: Any, share: float) -> Iterator[Risk]:
    """Limits on either side of an arm's risk, as far as there is something to decide."""
    for times in TIMES:
        yield Probability("<", arm.quantile(times * share), share)
    for apart in (*APART, *(-apart for apart in APART)):
        yield Quantile(share, at_least=arm.quantile(share) + apart)
        yield Cvar(share, at_least=Cvar(share, 0.0).value(arm) + apart)


def decidable(arm: Any, risk: Risk) -> bool:
    """Is the limit one that rewards in [0, 1] can be within or beyond, and not that of this arm to within a tenth?"""
    match risk:
        case Probability(threshold=threshold, at_most=share):
            pass
        case Quantile(share=share):
            threshold = risk.bound
        case _:
            return 0.0 < risk.bound < 1.0
    return 0.0 < threshold < 1.0 and not 0.9 < arm.below(threshold) / share < 1.1


def hoeffding(rewards: NDArray[np.float64], threshold: float, share: float) -> int:
    """Pulls until the share of rewards below the threshold is known to be above or below `share`."""
    pulls = np.arange(1.0, len(rewards) + 1.0)
    bad = np.cumsum(rewards < threshold) / pulls
    decided = (bad + radius(pulls, DELTA / 2.0) <= share) | (bad - radius(pulls, DELTA / 4.0) > share)
    return int(decided.argmax()) + 1 if decided.any() else len(rewards)


def band(rewards: NDArray[np.float64], share: float, limit: float) -> int:
    """Pulls until cvar is known to be above or below its limit; the last of those tried that were too few."""
    pulls = 10
    while (more := math.ceil(1.05 * pulls)) <= len(rewards):
        above, below = radius(more, DELTA / 2.0), radius(more, DELTA / 4.0)
        least, most = lowest(rewards[:more], share - above), 1.0
        if below + share < 1.0:
            most = (lowest(rewards[:more], share + below) - lowest(rewards[:more], below)) / share
        if least / share >= limit or most < limit:
            return pulls
        pulls = more
    return len(rewards)


def lowest(rewards: NDArray[np.float64], share: float) -> float:
    """The integral of the empirical quantile up to the share."""
    count = share * len(rewards)
    whole = int(count)
    if count <= 0.0:
        return 0.0
    ordered = np.partition(rewards, whole)
    return float(ordered[:whole].sum() + (count - whole) * ordered[whole]) / len(rewards)


def radius(pulls: Any, miss: float) -> Any:
    """Hoeffding's, and the band's on one side, with miss / (n (n + 1)) for n pulls."""
    return np.sqrt(np.log(pulls * (pulls + 1.0) / miss) / (2.0 * pulls))


def straightforward(risk: Risk) -> Callable[[NDArray[np.float64]], int]:
    match risk:
        case Probability(threshold=threshold, at_most=share):
            return lambda rewards: hoeffding(rewards, threshold, share)
        case Quantile(share=share):
            return lambda rewards: hoeffding(rewards, risk.bound, share)
        case Cvar(share=share, at_least=limit):
            return lambda rewards: band(rewards, share, limit)
    raise NotImplementedError(risk)


def drawn(arm: Any, trial: int) -> NDArray[np.float64]:
    generator = np.random.default_rng([17, trial])
    match arm:
        case Bernoulli(p):
            return (generator.random(CAP) < p).astype(float)
        case Discrete(values, weights):
            return generator.choice(values, CAP, p=weights)
        case Beta():
            return generator.beta(*arm.shape, CAP)
    return generator.uniform(arm.low, arm.high, CAP)


def measure() -> list[dict[str, Any]]:
    ratios: dict[tuple[str, float], list[float]] = {}
    wrong = tried = 0
    for arm in ARMS.values():
        paths = [drawn(arm, trial) for trial in range(TRIALS)]
        asked = [(share, risk) for share in SHARES for risk in limits(arm, share) if decidable(arm, risk)]
        for share, risk in asked:
            ours = simulate(Instance({"A": arm}, risk=risk, delta=DELTA), trials=TRIALS, progress=False).summary()
            theirs = sum(map(straightforward(risk), paths)) / TRIALS
            ratios.setdefault((risk.test, share), []).append(theirs / ours["pulls"]["mean"])
            wrong, tried = wrong + ours["wrong"] + ours["undecided"], tried + TRIALS
    rows: list[dict[str, Any]] = []
    for (kind, share), values in sorted(ratios.items()):
        what = f"pulls, straightforward over ours, {kind}, share {share:g}, {len(values)} limits"
        aim = ">= 3" if kind == "cvar" else ">= 10" if share < 0.1 else None
        middle = {"what": f"{what}: geometric mean", "value": math.exp(sum(map(math.log, values)) / len(values))}
        rows += [middle | ({"aim": aim} if aim else {}), {"what": f"{what}: least", "value": min(values)}]
    return [*rows, {"what": "wrong or missing answers of ours, share", "value": wrong / tried, "aim": f"<= {DELTA:g}"}]
