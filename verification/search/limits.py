"""Limits on a risk that an arm is just within, or just beyond."""

from collections.abc import Callable

from surefoot.problem.distributions import Distribution
from surefoot.problem.risks import Cvar, CvarUpper, NoRisk, Probability, Quantile, Risk, Variance

LEAST_VARIANCE = 1e-9  # to ask about: below it, the rounding of rewards comes into play
LEAST_CVAR = 0.01  # to take shares of, for it may be 0
SHARES = (0.005, 0.95)


def variance(arm: Distribution, away: float, place: float, upper: bool) -> Risk:
    return Variance(max(moved(arm.variance, away), LEAST_VARIANCE))


def quantile(arm: Distribution, away: float, place: float, upper: bool) -> Risk:
    """The arm's own tail beyond a value it takes, and a share just above or below that."""
    threshold = arm.quantile(place)
    if above(arm, threshold, upper):
        return Quantile(1.0 - share(moved(arm.above(threshold), away)), at_most=threshold)
    return Quantile(share(moved(arm.below(threshold), away)), at_least=threshold)


def probability(arm: Distribution, away: float, place: float, upper: bool) -> Risk:
    threshold = arm.quantile(place)
    if above(arm, threshold, upper):
        return Probability(">", threshold, share(moved(arm.above(threshold), away)))
    return Probability("<", threshold, share(moved(arm.below(threshold), away)))


def cvar(arm: Distribution, away: float, place: float, upper: bool) -> Risk:
    part = share(place)
    if upper:
        value = CvarUpper(part, 0.0).value(arm)
        return CvarUpper(part, within(value + away * max(value, LEAST_CVAR)))
    value = Cvar(part, 0.0).value(arm)
    return Cvar(part, within(value - away * max(value, LEAST_CVAR)))


def none(arm: Distribution, away: float, place: float, upper: bool) -> Risk:
    return NoRisk()


def above(arm: Distribution, threshold: float, upper: bool) -> bool:
    """The upper tail, if it is wanted and there is one, or if there is no lower one."""
    return arm.above(threshold) > 0.0 if upper else arm.below(threshold) == 0.0


def moved(value: float, away: float) -> float:
    """A limit on a risk with this value: wider by a share of it if `away` is positive, narrower if negative."""
    return value * (1.0 + away) if away > 0.0 else value / (1.0 - away)


def within(value: float) -> float:
    """A limit on rewards, in their range."""
    return min(max(value, 0.0), 1.0)


def share(value: float) -> float:
    low, high = SHARES
    return min(max(value, low), high)


LIMITS: dict[str, Callable[[Distribution, float, float, bool], Risk]] = {
    "variance": variance,
    "quantile": quantile,
    "probability": probability,
    "cvar": cvar,
    "none": none,
}
