"""Where rounds come from: each has one result of the baseline and one of the candidate."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.work.logs import Log
from surefoot.work.measures import Item, Measure, NotStarted, PullFailed

Values = Mapping[str, float]
SECONDS, FAILED = "seconds", "failed"  # the metrics that we measure
PATIENCE = 3  # rounds of a baseline that only fails, after which there is nothing to compare with


class Outcome(NamedTuple):
    """What a pull returned, a number for each metric; or why it failed, and what it then counts as, if anything."""

    values: Values | None
    failed: str = ""


class Round(NamedTuple):
    baseline: Outcome
    candidate: Outcome
    candidate_first: bool


class MeasuredRounds:
    """Rounds that are made now, one pull after the other, each round in an order of its own that is drawn before it. With
    design = "items", each round is on the next item, in the order that a study with this seed has.
    """

    def __init__(
        self, problem: Problem, measures: Mapping[str, Measure], baseline: str, candidate: str, seed: int
    ) -> None:
        self.problem, self.arms = problem, (baseline, candidate)
        self.measures = measures
        self.order = np.random.default_rng(seed)
        self.seed, self.pulls = seed, 0

    def items(self) -> Iterator[Item]:
        items = self.problem.items if self.problem.has_items else None
        if items is None:
            return itertools.repeat(None)
        order, places = items.order(self.seed), itertools.count() if math.isinf(items.last) else range(int(items.last))
        return (items.name(items.at(place, order, self.seed)) for place in places)

    def __iter__(self) -> Iterator[Round]:
        failures = 0
        for item in self.items():
            candidate_first = bool(self.order.integers(2))
            outcomes = {arm: self.pull(self.arms[arm], item) for arm in ((1, 0) if candidate_first else (0, 1))}
            yield Round(outcomes[0], outcomes[1], candidate_first)
            failures = failures + 1 if outcomes[0].failed and failures == self.pulls // 2 - 1 else 0
            if failures == PATIENCE:
                raise InvalidValue(
                    f"the baseline failed in each of the first {PATIENCE} rounds, so that there is nothing to compare "
                    f"with: {outcomes[0].failed}"
                )

    def pull(self, arm: str, item: Item = None) -> Outcome:
        self.pulls += 1
        try:
            return Outcome(self.named(self.problem.values(f"a result of {arm}", self.measures[arm](self.pulls, item))))
        except NotStarted as error:
            raise InvalidValue(f"{arm} cannot be run: {error}") from error
        except PullFailed as error:
            counts_as = self.problem.failures
            return Outcome(None if counts_as is None else self.named(counts_as, failed=1.0), str(error))

    def named(self, values: tuple[float, ...], failed: float = 0.0) -> Values:
        names = [metric.name for metric in self.problem.metrics]
        return {FAILED: failed} | dict(zip(names, values, strict=True))


def log_rounds(log: Log, metric: str, check: Callable[[str, float], float]) -> Iterator[Round]:
    """The rows of a log in which both have a value; the first column is the baseline."""
    assert log.rows is not None
    last: tuple[int, float] | None = None
    for row, arm, value in zip(log.rows.tolist(), log.arms.tolist(), log.rewards.tolist(), strict=True):
        value = check(log.names[arm], value)
        if arm == 0:
            last = row, value
        elif last and last[0] == row:
            yield Round(Outcome({metric: last[1]}), Outcome({metric: value}), False)
