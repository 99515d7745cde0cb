"""An instance: a problem whose arms have known distributions, so that its right answers are known too."""

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Unpack

from surefoot.core import verdicts
from surefoot.core.question import Question
from surefoot.core.registry import POLICIES
from surefoot.errors import InvalidValue, one_of
from surefoot.problem import Arm, Problem
from surefoot.problem.distributions import Discrete, Distribution
from surefoot.problem.fields import Fields, Limits, Metrics, Rewards
from surefoot.problem.items import GivenItems, Items
from surefoot.problem.kernel_question import question_of
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Metric, Result
from surefoot.problem.reward_sources import Data, PerMetric, Rows
from surefoot.problem.risks import Risk
from surefoot.problem.score_table import columns_of
from surefoot.simulation import draws, item_draws
from surefoot.simulation.draws import Draws
from surefoot.simulation.item_draws import ItemDraws
from surefoot.theory.fewest_pulls import FewestPulls, fewest_pulls, on_variance_alone
from surefoot.theory.gaps import gaps
from surefoot.theory.hardness import h_va, hardness
from surefoot.theory.other_limits import Elsewhere, elsewhere


class Instance:
    """A problem whose arms have known distributions, to simulate.

    :param arms: a mapping of names to distributions; or a problem whose arms have them.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: `(low, high)`, `"binary"`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`. Of several metrics: `"max mean(accuracy)"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: a run ends after so many pulls, decided or not.
    :param failure: what a failed pull counts as: a number, or a number per metric. None: another pull takes its place.
    :param metrics: if a pull returns several numbers, what is known of each: `{"accuracy": (0, 1), "latency": "any"}`.
    :param limits: several limits, all of which must be kept: `["quantile(0.95, latency) <= 2", "mean(cost) <= 3"]`.
    :param baseline: the arm that limits such as `"mean(cost) <= 1.02 * baseline"` compare the others with.
    :param design: `"independent"`; `"items"`: all arms are tried on the same items; `"rounds"`: they are tried together.
    :param items: the items: their number, or `Items(correlation=0.8)`. None: an endless stream 0, 1, 2, …
    :param finite: is the question about exactly these items, each tried once by each arm? Else they are a sample.
    :param replacement: are items drawn with replacement? For expected results, where a second trial would differ.

    What is left out, or None, is as in `Problem`; or as in the problem that is given for `arms`.

    >>> from surefoot import Beta, Instance
    >>> arms = {"A": Beta(mean=0.5, variance=0.01), "B": Beta(mean=0.7, variance=0.1)}
    >>> instance = Instance(arms, risk="variance <= 0.04")
    >>> instance.right_answers
    ('A',)
    """

    def __init__(
        self,
        arms: Mapping[str, Distribution | Mapping[str, Distribution]] | Problem,
        *,
        risk: Risk | str | None = None,
        rewards: Rewards | None = None,
        goal: str | None = None,
        delta: float | None = None,
        tolerance: float | None = None,
        risk_slack: float | None = None,
        max_pulls: int | None = None,
        failure: Result | None = None,
        metrics: Metrics | None = None,
        limits: Limits | None = None,
        baseline: str | None = None,
        design: str | None = None,
        items: GivenItems | None = None,
        finite: bool | None = None,
        replacement: bool | None = None,
    ) -> None:
        problem = Problem.of(
            arms,
            risk=risk,
            rewards=rewards,
            goal=goal,
            delta=delta,
            tolerance=tolerance,
            risk_slack=risk_slack,
            max_pulls=max_pulls,
            failure=failure,
            metrics=metrics,
            limits=limits,
            baseline=baseline,
            design=design,
            items=items,
            finite=finite,
            replacement=replacement,
        )
        self.problem = problem
        if problem.items and problem.items.finite and not problem.items.data:
            raise InvalidValue("a finite list is simulated from a table: give [items] data, a file with a row per item")
        self.sources = sources_of(problem)
        self.distributions = tuple(marginal(source, problem, problem.goal_metric.name) for source in self.sources)

    @classmethod
    def load(cls, path: str | Path) -> "Instance":
        """Read an instance from a problem file."""
        return cls(Problem.load(path))

    def but(self, **changes: Unpack[Fields]) -> "Instance":
        """The same instance with some fields of its problem changed; None leaves a field as it is."""
        return Instance(self.problem.but(**changes))

    @cached_property
    def right_answers(self) -> tuple[str, ...]:
        """The arms it is right to answer with: feasible up to the slack, no worse than the best feasible one up to the
        tolerance. When no arm is feasible without the slack, it is also right to answer that none is feasible.
        """
        problem, (goal,) = self.problem, self.problem.goals
        nearly = [self.keeps(arm, Limit.nearly_kept_by) for arm in range(len(self.sources))]
        worth = [goal.worth(arm) for arm in self.distributions]
        best = max((mean for mean, allowed in zip(worth, self.feasible, strict=True) if allowed), default=-math.inf)
        return tuple(
            name
            for name, mean, allowed in zip(problem.names, worth, nearly, strict=True)
            if mean >= best - problem.tolerance and allowed
        )

    @cached_property
    def feasible(self) -> tuple[bool, ...]:
        """Which arms keep every limit."""
        return tuple(self.keeps(arm, Limit.kept_by) for arm in range(len(self.sources)))

    def keeps(self, arm: int, kept_by: Callable[[Limit, Distribution, Distribution | None], bool]) -> bool:
        """Does an arm keep every limit? The baseline is exempt from those against it."""
        names, baseline = self.problem.names, self.problem.baseline
        other = None if baseline is None else self.sources[names.index(baseline)]
        return all(
            kept_by(
                limit,
                self.of(self.sources[arm], limit.metric),
                None if other is None else self.of(other, limit.metric),
            )
            for limit in self.problem.limits
            if names[arm] != baseline or not limit.is_against_baseline
        )

    def of(self, arm: Distribution | PerMetric | Rows, metric: str) -> Distribution:
        """The distribution of one metric of an arm."""
        return marginal(arm, self.problem, metric)

    @property
    def unit_means(self) -> list[float]:
        """The arms' means on the kernels' scale."""
        return [self.problem.scale.inward(arm.mean) for arm in self.distributions]

    @property
    def unit_variances(self) -> list[float]:
        """The arms' variances on the kernels' scale."""
        return [arm.variance / self.problem.scale.width**2 for arm in self.distributions]

    @property
    def H_VA(self) -> float:
        """The paper's hardness, for a limit on the variance."""
        return h_va(gaps(self.unit_means, self.unit_variances, question_of(self.problem).variance_limit.value))

    def hardness(self) -> dict[str, float | None]:
        """Every measure of hardness of the paper, by its name, and the fewest pulls; None where it is not defined."""
        question = question_of(self.problem)
        sigma = 0.5 if math.isnan(question.sigma) else question.sigma  # any reward in [0, 1] is 1/2-sub-Gaussian
        on_variance = on_variance_alone(self.problem)
        at_most = question.variance_limit.value if on_variance else math.inf
        measures = hardness(self.unit_means, self.unit_variances, at_most, question.delta, sigma)
        if not on_variance:
            measures = dict.fromkeys(measures) | {"H_1": measures["H_1"]}
        limit = self.limit
        measures["T_star"] = limit.T_star if limit else None
        measures["limit_pulls"] = limit.pulls(question.delta) if limit else None
        return measures

    @cached_property
    def limit(self) -> FewestPulls | None:
        """The fewest pulls that any method could need on average; None if that is infinite or not known."""
        if self.problem.items:  # what arms have in common on an item is not known to it
            return None
        return fewest_pulls(self.problem, self.distributions, [self.elsewhere(source) for source in self.sources])

    def elsewhere(self, source: Distribution | PerMetric | Rows) -> Elsewhere | None:
        """What it costs to move an arm across its limits on other metrics, if they are drawn independently of each other."""
        others = [limit for limit in self.problem.limits if limit.metric != self.problem.goal_metric.name]
        if others and isinstance(source, Rows):
            return None
        return elsewhere(self.problem, [(limit, self.of(source, limit.metric)) for limit in others])

    def question(self, policy: str) -> Question:
        """The problem in the kernels' numbers; where it gives no accuracies and the policy needs them, with those that find
        exactly the best arm, as the paper grants them.
        """
        asked = question_of(self.problem)
        needs = POLICIES[one_of("policy", policy, POLICIES)].ACCURACIES and on_variance_alone(self.problem)
        if not needs or asked.tolerance or self.problem.risk_slack:
            return asked
        gap = gaps(self.unit_means, self.unit_variances, asked.variance_limit.value)
        limit = asked.variance_limit._replace(slack=min(gap.risk_accuracy, 0.25))
        limits = tuple(each._replace(limit=limit) for each in asked.limits)
        return asked._replace(tolerance=min(gap.accuracy, 1.0), limits=limits)

    def is_right(self, status: int, arm: int) -> bool:
        """Is this decision of the kernels right?"""
        if status == verdicts.NO_ARM:
            return not any(self.feasible)
        return status == verdicts.BEST and self.problem.names[arm] in self.right_answers

    def draws(self) -> Draws | tuple[Draws, ...] | tuple[ItemDraws, ...]:
        """The distributions as the kernels draw from them, on the kernels' scale: of each metric that decides something."""
        if self.problem.items:
            return tuple(self.item_draws_of(metric, self.problem.items) for metric in self.problem.deciding_metrics)
        by_metric = tuple(self.draws_of(metric) for metric in self.problem.deciding_metrics)
        return by_metric[0] if len(by_metric) == 1 else by_metric

    def item_draws_of(self, metric: Metric, items: Items) -> ItemDraws:
        arms, inward = [self.of(source, metric.name) for source in self.sources], self.problem.mover(metric)
        columns = [arm.values for arm in arms if isinstance(arm, Discrete)]
        if items.data:
            return item_draws.of_columns(columns, inward, items.finite)
        return item_draws.of_distributions(arms, inward, items.correlation, float(items.season))

    def draws_of(self, metric: Metric) -> Draws:
        arms = [self.of(source, metric.name) for source in self.sources]
        rows = [isinstance(source, Rows) for source in self.sources]
        several = len(self.problem.deciding_metrics) > 1
        inward, width = self.problem.mover(metric), self.problem.scale_of(metric).width
        return draws.table(arms, inward, width, rows if several else ())


def sources_of(problem: Problem) -> tuple[Distribution | PerMetric | Rows, ...]:
    """What draws the results of each arm: the columns of the table of items, if there is one."""
    if problem.items and problem.items.data:
        return columns_of(problem.items.data, problem.names, problem.metrics)
    return tuple(source(arm, problem) for arm in problem.arms)


def source(arm: Arm, problem: Problem) -> Distribution | PerMetric | Rows:
    """What draws the results of an arm, read from its data if need be."""
    given = arm.source
    if isinstance(given, Data):
        try:
            return given.read().fitted(problem.rewards) if given.column else given.rows(problem.metrics)
        except InvalidValue as error:
            raise InvalidValue(f"arm {arm.name!r}, {given.plain()}: {error}") from error
    if not isinstance(given, Distribution | PerMetric):
        kind = "no distribution" if given is None else f"a {given.key}"
        raise InvalidValue(f"arm {arm.name!r} must have a distribution or data to be simulated, got {kind}")
    return given


def marginal(source: Distribution | PerMetric | Rows, problem: Problem, name: str) -> Distribution:
    """The distribution of one metric."""
    if isinstance(source, PerMetric):
        return dict(source.distributions)[name]
    if isinstance(source, Rows):
        return source.column([metric.name for metric in problem.metrics].index(name))
    return source
