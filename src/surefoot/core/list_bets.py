"""Bets on a finite list, whose items come in random order and each once (docs/finite.md proves them).

The list has `items` values that are 0 or more. If they add up to at most `most`, and those seen so far to `total`, the next
one has a mean of at most (most - total)/left, where `left` items are still to come. So (1 + b value)/(1 + b mean) has a mean
of at most 1, whatever the bet b. Bets grow as the list is used up: so does what is known of its rest.
"""

import math

COUNT = 10
BETS = tuple(32.0 * 2.5**-k for k in range(COUNT))
PRIOR = tuple(1.0 / (6.0 + (k - 1.5) ** 2) for k in range(COUNT))
LOG_PRIOR = tuple(math.log(weight) for weight in PRIOR)
LOG_TOTALS = tuple(math.log(sum(PRIOR[: k + 1])) for k in range(COUNT))  # of the prior, of so many bets and one more
SMALLEST = 6.0  # over the root of the number of items: what smaller bets could tell apart, a list is too short for
NEGLIGIBLE = 40.0  # e to the minus this adds nothing to 1
ROUNDING = 2.0**-40  # a mean may be so much beyond a number by rounding alone


def settle(sums: list[float], value: float, total: float, most: float, left: float, items: float) -> None:
    """Take the next value into the log-wealths against "all values add up to at most `most`"; `total` and `left` are what
    they were before it.
    """
    mean, growth = max(most - total, 0.0) / left, items / left
    for k in range(used(items)):
        bet = BETS[k] * growth
        sums[k] += math.log((1.0 + bet * value) / (1.0 + bet * mean))


def used(items: float) -> int:
    """How many of the bets, from the largest on, serve for a list of so many items."""
    count = 1
    while count < COUNT and BETS[count] * BETS[count] * items >= SMALLEST * SMALLEST:
        count += 1
    return count


def log_wealth(sums: list[float], items: float) -> float:
    """ln of the wealth of all bets together."""
    top, total, count = -math.inf, 0.0, used(items)
    for k in range(count):
        term = LOG_PRIOR[k] + sums[k]
        if term > top:
            top, total = term, total * math.exp(top - term) + 1.0
        elif top - term < NEGLIGIBLE:
            total += math.exp(term - top)
    return top + math.log(total) - LOG_TOTALS[count - 1]


def lowest(total: float, items: float) -> float:
    """The least that the mean of the list can be, if the values seen add up to `total` and no value is below 0."""
    return total / items


def highest(total: float, seen: float, items: float) -> float:
    """The most that it can be, if no value is above 1."""
    return (total + (items - seen)) / items


def surely_at_least(total: float, items: float, x: float) -> bool:
    """Is the mean of the list surely x or more? What rounding could have done is let pass, so that ties are told as ties."""
    return lowest(total, items) >= x - ROUNDING


def surely_below(total: float, seen: float, items: float, x: float) -> bool:
    """Is the mean of the list surely less than x?"""
    return highest(total, seen, items) < x - ROUNDING
