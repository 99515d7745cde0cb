"""Hardness and bounds of the paper. 1/0 is infinite and 1/inf is 0 in every sum; what has no meaning is None."""

import math
from collections.abc import Callable, Sequence

from surefoot.theory.gaps import Gaps, gaps

C = 64.0  # of the sub-Gaussian appendix


def inverse(gap: float) -> float:
    """1 / gap^2, infinite if the gap is too small for that."""
    square = gap * gap
    return 1.0 / square if square > 0.0 else math.inf


def times_log(factor: float, x: float) -> float | None:
    """factor ln x; None for x up to 1, as no hardness of rewards in [0, 1] gives: those of other rewards bound nothing."""
    return factor * math.log(x) if x > 1.0 else None


def total(
    gap: Gaps,
    best: Callable[[float, float], float],
    feasible: Callable[[float], float],
    risky: Callable[[float], float],
    other: Callable[[float, float], float],
) -> float:
    """The four terms that every hardness of the paper has: i*; F and S; not F and R; not F and S."""
    terms = []
    for i, (mean, variance) in enumerate(zip(gap.mean, gap.variance, strict=True)):
        if i == gap.best:
            terms.append(best(mean, variance))
        elif gap.feasible[i]:
            terms.append(feasible(mean) if gap.suboptimal[i] else math.inf)  # a tie for the best
        else:
            terms.append(other(mean, variance) if gap.suboptimal[i] else risky(variance))
    return math.fsum(terms) if all(map(math.isfinite, terms)) else math.inf


def h_va(gap: Gaps, slack: float = 0.0) -> float:
    """H_VA, [HTZ] Section IV; H~_VA of App. A with the slack eps_v."""
    return total(
        gap,
        lambda mean, variance: inverse(min(mean / 2, variance + slack)),
        lambda mean: inverse(mean / 2),
        inverse,
        lambda mean, variance: inverse(max(mean / 2, variance)),
    )


def h_lil(gap: Gaps, weigh: Callable[[float], float] = lambda x: x) -> float:
    """H^(1) of Remark 1; H^(3) with `iterated` for the weight."""
    return total(
        gap,
        lambda mean, variance: weigh(inverse(min(mean, 2 / 3 * variance))),
        lambda mean: weigh(inverse(mean)),
        lambda variance: weigh(inverse(2 / 3 * variance)),
        lambda mean, variance: weigh(inverse(max(mean, 2 / 3 * variance))),
    )


def iterated(x: float) -> float:
    """x ln ln max(e, x)."""
    return x * math.log(math.log(max(math.e, x))) if math.isfinite(x) else math.inf


def h_sigma(gap: Gaps, sigma: float) -> float:
    """H^(sigma), [HTZ] App. E."""
    square = sigma * sigma

    def of_mean(size: float) -> float:
        return 2 * square * inverse(size / 2)

    def of_variance(size: float) -> float:
        return 2 * C * square * square * inverse(size)

    return total(
        gap,
        lambda mean, variance: max(of_mean(mean), of_variance(variance)),
        of_mean,
        of_variance,
        lambda mean, variance: min(of_mean(mean), of_variance(variance)),
    )


def h_1(means: Sequence[float]) -> float:
    """H_1 of plain best-arm identification, the limit left aside."""
    best = max(range(len(means)), key=lambda i: (means[i], -i))
    return sum(inverse(means[best] - mean) for i, mean in enumerate(means) if i != best)


def david(
    gap: Gaps, means: Sequence[float], variances: Sequence[float], limit: float, delta: float
) -> dict[str, float | None]:
    """H, H', the sum of C_i and both bounds of David et al., [HTZ] App. C, at the accuracies that find exactly i*."""
    n, eps_mu, eps_v = len(means), gap.accuracy, gap.risk_accuracy
    accuracies = inverse(eps_mu) / 2 + 4 * inverse(eps_v)
    prime = 3 * n * accuracies
    if gap.best is None or prime in (0.0, math.inf):
        return dict.fromkeys(("H_David", "H_David_prime", "C_sum", "upper_bound_David", "lower_bound_David"))
    horizon = times_log(prime, 6 * n / delta * n * accuracies)
    top = means[gap.best]

    def cost(mean: float, variance: float) -> float:
        known = max(inverse(eps_mu), 4 * inverse(max(0.0, eps_v - (variance - limit))))
        return min(inverse(max(0.0, top - mean)), 4 * inverse(max(0.0, variance - limit)), known)

    costs = sum(map(cost, means, variances))
    least = [
        max(16 * size, 5 * eps_mu + 4 * max(0.0, top - mean)) for mean, size in zip(means, gap.variance, strict=True)
    ]
    terms = list(map(inverse, least))
    lower = (
        math.log(1 / (9 * delta)) / 900 * (sum(terms) - max(terms)) - n
        if delta < 0.01 and math.isfinite(sum(terms))
        else None
    )
    return {
        "H_David": horizon,
        "H_David_prime": prime,
        "C_sum": costs,
        "upper_bound_David": times_log(costs, 6 * n * horizon / delta) if horizon else None,
        "lower_bound_David": lower,
    }


def lower_bound(gap: Gaps, means: Sequence[float], limit: float, delta: float) -> float | None:
    """c(nu) H_VA ln(1 / (2.4 delta)), [HTZ] Theorem 2, with the roots of a (1 - a) = limit."""
    if not 0 < limit < 0.25 or delta >= 1 / 2.4 or not all(0 <= mean <= 1 for mean in means):
        return None
    root = (1 - math.sqrt(1 - 4 * limit)) / 2
    factors = [root * (0.25 - limit), root / 8]
    if gap.best is not None:
        factors.append((1 - means[gap.best]) / 8)
    return min(factors) * h_va(gap) * math.log(1 / (2.4 * delta))


def hardness(
    means: Sequence[float], variances: Sequence[float], limit: float, delta: float, sigma: float = 0.5
) -> dict[str, float | None]:
    """Every hardness and bound by its name; None where it is infinite or has no meaning.

    >>> measures = hardness([0.7, 0.3], [0.03, 0.03], 0.04, 0.05)
    >>> round(measures["H_VA"])
    10025
    """
    gap = gaps(means, variances, limit)
    value = h_va(gap)
    steps = times_log(152 * value, value / delta)
    results: dict[str, float | None] = {
        "H_VA": value,
        "H_VA_slack": h_va(gap, gap.risk_accuracy),
        "H_1": h_1(means),
        "H_LIL1": h_lil(gap),
        "H_LIL3": h_lil(gap, iterated),
        "H_sigma": h_sigma(gap, sigma),
        "H_sigma_N": max(h_sigma(gap, sigma), len(means)),
        "upper_bound_steps": steps,
        "upper_bound_pulls": 2 * steps if steps else None,
        "lower_bound": lower_bound(gap, means, limit, delta),
    }
    results |= david(gap, means, variances, limit, delta)
    return {name: number if number is not None and math.isfinite(number) else None for name, number in results.items()}
