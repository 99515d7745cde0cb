"""Between what a probability lies, by how often something happened: valid at all times at once."""

import math

ROUNDS_APART = True  # compiled and interpreted: `math.lgamma`, by a unit in the last place


def log_mixture(happened: float, tries: float) -> float:
    """ln of the mean of p^k (1 - p)^(n - k) over Jeffreys' prior of p.

    Divided by the same at the true p it is a martingale that starts at 1, and by Ville's inequality exceeds 1/miss with
    probability at most `miss`.
    """
    missed = tries - happened
    return math.lgamma(happened + 0.5) + math.lgamma(missed + 0.5) - math.lgamma(tries + 1.0) - math.log(math.pi)


def interval(happened: float, tries: float, miss: float, items: float = math.inf) -> tuple[float, float]:
    """All p that the mixture has not beaten by 1/miss; of a list of so many items, in random order and each once, if their
    number is finite.

    >>> low, high = interval(3.0, 100.0, 0.05)
    >>> round(low, 4), round(high, 4)
    (0.0019, 0.1229)
    """
    if tries < 1.0:
        return 0.0, 1.0
    if tries >= items:
        return happened / items, happened / items
    least = log_mixture(happened, tries) + math.log(miss)
    return end(happened, tries, least, 0.0, items), end(happened, tries, least, 1.0, items)


def refuted(p: float, happened: float, tries: float, miss: float, items: float = math.inf) -> bool:
    """Has the mixture beaten this p by 1/miss?"""
    return log_likelihood(happened, tries, p, items) <= log_mixture(happened, tries) + math.log(miss)


def end(happened: float, tries: float, least: float, outside: float, items: float) -> float:
    """The end of {p : its log-likelihood > least} between the share that happened and `outside`, by bisection."""
    inside = happened / tries
    if log_likelihood(happened, tries, outside, items) > least:
        return outside
    for _ in range(50):
        middle = (inside + outside) / 2.0
        if log_likelihood(happened, tries, middle, items) > least:
            inside = middle
        else:
            outside = middle
    return outside


def log_likelihood(happened: float, tries: float, p: float, items: float) -> float:
    missed = tries - happened
    if items < math.inf:
        return log_chance(happened, missed, p * items, items)
    if (p <= 0.0 and happened > 0.0) or (p >= 1.0 and missed > 0.0):
        return -math.inf
    return (happened * math.log(p) if happened else 0.0) + (missed * math.log1p(-p) if missed else 0.0)


def log_chance(happened: float, missed: float, most: float, items: float) -> float:
    """ln of the probability to draw just these, in this order, from a list of which `most` items make it happen.

    Between whole numbers of items it is what the gamma function makes of it: smooth, with one maximum.
    """
    if happened > most or missed > items - most:
        return -math.inf
    tries = happened + missed
    drawn = math.lgamma(most + 1.0) - math.lgamma(most - happened + 1.0)
    others = math.lgamma(items - most + 1.0) - math.lgamma(items - most - missed + 1.0)
    return drawn + others - (math.lgamma(items + 1.0) - math.lgamma(items - tries + 1.0))
