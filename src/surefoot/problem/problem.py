"""The problem: which arms, what is best, what is too risky, how sure to be. Validated, frozen, plain data."""

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from surefoot.errors import Caution, InvalidValue, nearest, number, whole
from surefoot.files import read_text
from surefoot.problem import toml
from surefoot.problem.arms import Arm, Arms, arm_name, fitted_arm, named
from surefoot.problem.fields import Fields, Limits, Metrics, Rewards
from surefoot.problem.goals import Goal, goal_of
from surefoot.problem.items import INDEPENDENT, GivenItems, Items, design_of, items_of
from surefoot.problem.limits import Limit, limits_of
from surefoot.problem.metrics import REWARD, Metric, Result, Values, metrics_of, values_of
from surefoot.problem.reward_models import Bounded, RewardModel, Scale, Unbounded, reward_model
from surefoot.problem.risks import NoRisk, Risk
from surefoot.problem.risks.expressions import parse
from surefoot.problem.risks.risk import Cut, mover

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, init=False)
class Problem:
    """Find the best arm of those that keep every limit.

    :param arms: names; or a mapping of names to where their results come from, such as `Beta(mean=0.5, variance=0.01)`.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: `(low, high)`, `"binary"`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`. Of several metrics: `"max mean(accuracy)"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
    :param failure: what a failed pull counts as: a number, or a number per metric. None: another pull takes its place.
    :param metrics: if a pull returns several numbers, what is known of each: `{"accuracy": (0, 1), "latency": "any"}`.
    :param limits: several limits, all of which must be kept: `["quantile(0.95, latency) <= 2", "mean(cost) <= 3"]`.
    :param baseline: the arm that limits such as `"mean(cost) <= 1.02 * baseline"` compare the others with.
    :param design: `"independent"`; `"items"`: all arms are tried on the same items; `"rounds"`: they are tried together.
    :param items: the items: their number, or a list of texts. None: an endless stream 0, 1, 2, …
    :param finite: is the question about exactly these items, each tried once by each arm? Else they are a sample.
    :param replacement: are items drawn with replacement? For expected results, where a second trial would differ.

    If a parameter is None, that is the same as leaving it out.

    >>> problem = Problem(arms=("A", "B"), risk="variance <= 0.04", rewards=(0, 1), delta=0.05)
    >>> problem.risk
    Variance(at_most=0.04)
    """

    arms: tuple[Arm, ...]
    metrics: tuple[Metric, ...]
    goals: tuple[Goal, ...]
    limits: tuple[Limit, ...]
    delta: float
    tolerance: float
    max_pulls: int | None
    failures: Values | None  # what a failed pull counts as
    baseline: str | None  # the arm that limits are against
    design: str  # how the pulls of different arms belong together
    items: Items | None  # what arms are tried on, where they are tried on the same
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    answer: ClassVar[str] = "best"  # what is asked for

    def __init__(
        self,
        arms: Arms,
        *,
        risk: Risk | str | None = None,
        rewards: Rewards | None = None,
        goal: str | None = "max",
        delta: float | None = 0.05,
        tolerance: float | None = 0.0,
        risk_slack: float | None = 0.0,
        max_pulls: int | None = None,
        failure: Result | None = None,
        metrics: Metrics | None = None,
        limits: Limits | None = None,
        baseline: str | None = None,
        design: str | None = INDEPENDENT,
        items: GivenItems | None = None,
        finite: bool | None = None,
        replacement: bool | None = None,
    ) -> None:
        def settle(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        def given(name: str, value: Any) -> Any:
            """None is as good as left out."""
            return DEFAULTS[name] if value is None else value

        settle("metrics", all_metrics(rewards, metrics))
        settle("goals", (goal_of(given("goal", goal), self.metrics),))
        slack = number("risk_slack", given("risk_slack", risk_slack), at_least=0)
        settle("limits", all_limits(risk, slack, limits, self.metrics))
        settle("delta", number("delta", given("delta", delta), above=0, below=1))
        number("delta", self.delta, at_least=1e-100)
        settle("tolerance", number("tolerance", given("tolerance", tolerance), at_least=0))
        settle("max_pulls", None if max_pulls is None else whole("max_pulls", max_pulls, at_least=1))
        settle("failures", None if failure is None else values_of(self.metrics, "failure", failure))
        settle("arms", tuple(fitted_arm(arm, self.metrics) for arm in named(arms)))
        settle("names", tuple(arm.name for arm in self.arms))
        settle("baseline", baseline_of(baseline, self.names, self.limits))
        settle("design", design_of(given("design", design)))
        settle("items", items_of(items, self.design, finite=finite, replacement=replacement))
        if isinstance(self.rewards, Unbounded):
            name = self.goal_metric.name
            raise InvalidValue(
                f"the mean of {name} cannot be the goal, as {name} has no range: give it one, such as [0, 10]"
            )

    def check_new(self) -> None:
        """Refuse what no new problem should ask, and warn of what it probably does not mean.

        Not a part of creating the object: a study that was begun before a check was made goes on as it is.
        """
        if isinstance(self.rewards, Bounded) and self.tolerance >= (width := abs(self.scale.width)):
            raise InvalidValue(
                f"tolerance must be below {width:g}, the width of the range of {self.rewards.called}, got "
                f"{self.tolerance:g}: otherwise every arm would be as good as the best"
            )
        for limit in self.limits:
            model = self.metric(limit.metric).model
            if limit.slack >= (span := limit.risk.span(model)):
                slack = "risk_slack" if self.is_short else f"the slack of {limit}"
                raise InvalidValue(
                    f"{slack} must be below {span:g}, got {limit.slack:g}: otherwise no arm with {model} "
                    f"could break {limit}"
                )
        told = [metric.name for metric in self.metrics if not metric.measure]
        for metric in self.metrics:
            if metric.measure == "failed" and told and self.failures is None:
                raise InvalidValue(
                    f"{metric.name} would never be 1, as a failed pull does not tell {', '.join(told)} and is tried again: "
                    f"say what it counts as, such as failure = {{ {told[0]} = 0, {metric.name} = 1 }}"
                )
        for caution in self.cautions:
            warnings.warn(caution, Caution, stacklevel=outside())

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is allowed, and probably not what was meant, in sentences."""
        found = []
        if self.delta > 0.5:
            found.append(
                f"delta is the probability of a wrong decision, got {self.delta:g}: did you mean {1.0 - self.delta:.3g}?"
            )
        for limit in self.limits:
            model = self.metric(limit.metric).model
            if not limit.risk.can_fail(model, limit.slack):
                called = "risk_slack" if self.is_short else "slack"
                slack = f" by more than the {called} of {limit.slack:g}" if limit.slack else ""
                end = "every arm counts as feasible" if self.is_short else "every arm keeps it"
                found.append(f"no arm with {model} can break {limit}{slack}: {end}")
        return tuple(found)

    @property
    def has_items(self) -> bool:
        """Is each pull to be made on an item?"""
        return self.items is not None and not self.items.rounds

    # --- metrics

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    @property
    def goal_metric(self) -> Metric:
        """The metric whose mean is to be the best."""
        return self.metric(self.goals[0].metric)

    @property
    def deciding_metrics(self) -> tuple[Metric, ...]:
        """What the kernels see of a result, in this order: the goal's metric, then the others that have limits."""
        limited = {limit.metric for limit in self.limits}
        others = [metric for metric in self.metrics if metric.name in limited and metric != self.goal_metric]
        return (self.goal_metric, *others)

    def scale_of(self, metric: Metric) -> Scale:
        """From a metric's own scale to the kernels'."""
        return metric.model.scale(self.direction if metric == self.goal_metric else "max")

    def cuts(self, metric: Metric) -> list[Cut]:
        """Where rounding must not take a value of the metric across."""
        scale = self.scale_of(metric)
        limits = (limit for limit in self.limits if limit.metric == metric.name)
        return [cut for limit in limits for cut in limit.risk.cuts(scale, limit.slack)]

    def mover(self, metric: Metric) -> Callable[[float], float]:
        """What takes a value of the metric to the kernels' scale."""
        return mover(self.scale_of(metric), self.cuts(metric))

    @property
    def inward(self) -> Callable[[Values], Values]:
        """What takes a result, a number for each metric, to what the kernels see of it."""
        deciding = [(self.metrics.index(metric), metric) for metric in self.deciding_metrics]
        ways = [(index, metric.clipped if metric.clip else None, self.mover(metric)) for index, metric in deciding]
        if len(ways) == 1 and not ways[0][1]:
            ((index, _, move),) = ways
            return lambda values: (move(values[index]),)
        return lambda values: tuple(
            move(clipped(values[index]) if clipped else values[index]) for index, clipped, move in ways
        )

    def values(self, what: str, result: Result) -> Values:
        """What a pull returned, checked: a number for each metric, in their order."""
        return values_of(self.metrics, what, result)

    def result(self, values: Values) -> Result:
        """The same as people give it: a number, or a number per metric."""
        if self.metrics[0].name == REWARD and len(values) == 1:
            return values[0]
        return {metric.name: value for metric, value in zip(self.metrics, values, strict=True)}

    # --- the short form: one metric, called reward, and at most one limit

    @property
    def is_short(self) -> bool:
        """Can the short form say it? Then it is written so."""
        plain = len(self.metrics) == 1 and self.metrics[0] == Metric(REWARD, self.metrics[0].model)
        return plain and len(self.limits) <= 1 and self.baseline is None

    @property
    def direction(self) -> str:
        """`"max"` or `"min"`."""
        return self.goals[0].direction

    @property
    def goal(self) -> str:
        """What makes an arm the best, as a problem file has it."""
        return self.direction if self.is_short else str(self.goals[0])

    @property
    def risk(self) -> Risk:
        """The only limit."""
        return self._only_limit.risk if self._only_limit else NoRisk()

    @property
    def risk_slack(self) -> float:
        """The slack of the only limit."""
        return self._only_limit.slack if self._only_limit else 0.0

    @property
    def _only_limit(self) -> Limit | None:
        if len(self.limits) > 1:
            raise InvalidValue(f"a problem with {len(self.limits)} limits has no single risk: ask for its limits")
        return self.limits[0] if self.limits else None

    @property
    def rewards(self) -> RewardModel:
        """What is known of the goal's metric."""
        return self.goal_metric.model

    @property
    def failure(self) -> Result | None:
        """What a failed pull counts as."""
        return None if self.failures is None else self.result(self.failures)

    @property
    def scale(self) -> Scale:
        """From the own scale of the goal's metric to the kernels'."""
        return self.scale_of(self.goal_metric)

    # --- made and changed

    @classmethod
    def of(cls, arms: "Arms | Problem", **fields: Unpack[Fields]) -> "Problem":
        """A problem from arms and fields; or, of a problem itself, the same with these fields changed.

        None is as good as left out: the default, or what the problem has.
        """
        for name in fields:
            if name not in CHANGEABLE:
                known = ", ".join(CHANGEABLE)
                raise InvalidValue(f"a problem has no field {name!r}; it has {known}{nearest(name, CHANGEABLE)}")
        given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        return cls(arms.arms, **arms._with(given)) if isinstance(arms, Problem) else cls(arms, **given)

    def _with(self, changes: dict[str, Any]) -> dict[str, Any]:
        """The problem's fields beside its arms, with these changes."""
        short = self.is_short and not {"metrics", "limits"} & set(changes)
        ours: dict[str, Any] = {
            "goal": self.goal,
            "delta": self.delta,
            "tolerance": self.tolerance,
            "max_pulls": self.max_pulls,
            "failure": self.failure,
            "baseline": self.baseline,
            "design": self.design,
        }
        if changes.get("design", self.design) == self.design:
            ours["items"] = self.items
        if short:
            return ours | {"risk": self.risk, "risk_slack": self.risk_slack, "rewards": self.rewards} | changes
        if not {"rewards"} & set(changes):
            ours["metrics"] = self.metrics
        if not {"risk", "risk_slack"} & set(changes):
            ours["limits"] = self.limits
        return ours | changes

    def but(self, **changes: Unpack[Fields]) -> "Problem":
        """The same problem with some fields changed; None leaves a field as it is."""
        return Problem.of(self, **changes)

    @classmethod
    def load(cls, path: "str | Path", folder: "str | Path | None" = None, arms: Sequence[str] = ()) -> "Problem":
        """Read a problem file (TOML); paths in it start at `folder`, which is the file's own by default.

        :param arms: the arms where the file names none.
        """
        from pathlib import Path

        path, text = Path(path), read_text(path, "the problem must be")
        try:
            return cls(**toml.read(text, Path(path.parent if folder is None else folder), arms, path.parent))
        except InvalidValue as error:
            raise InvalidValue(f"{path}: {error}") from error

    @classmethod
    def loads(cls, text: str, folder: "str | Path" = ".", arms: Sequence[str] = ()) -> "Problem":
        """Read a problem from TOML text; paths in it start at `folder`. `arms` are those where it names none."""
        from pathlib import Path

        return cls(**toml.read(text, Path(folder), arms))

    def dumps(self) -> str:
        """The problem as TOML text; `loads` reads it back."""
        return toml.written(self)


CHANGEABLE = tuple(Fields.__annotations__)
DEFAULTS: dict[str, Any] = dict(Problem.__init__.__kwdefaults__ or {})


def all_metrics(rewards: Any, metrics: Any) -> tuple[Metric, ...]:
    """Those that are named; or the only one, called reward."""
    if metrics is None:
        return (Metric(REWARD, reward_model((0.0, 1.0) if rewards is None else rewards)),)
    if rewards is not None:
        raise InvalidValue("a problem must give rewards or metrics, got both")
    return metrics_of(metrics)


def all_limits(risk: Any, slack: float, limits: Any, metrics: tuple[Metric, ...]) -> tuple[Limit, ...]:
    """Those that are listed; or the only one, the risk."""
    if limits is not None:
        if risk is not None or slack:
            raise InvalidValue(
                f"a problem must give {'risk' if risk is not None else 'risk_slack'} or limits, got both"
            )
        return limits_of(limits, metrics)
    risk = risk if isinstance(risk, Risk) else parse("none" if risk is None else risk)
    if isinstance(risk, NoRisk):
        if slack:
            raise InvalidValue(f"risk_slack must be 0 if there is no limit, got {slack:g}")
        return ()
    return limits_of([{"limit": risk, "slack": slack}], metrics)


def baseline_of(given: Any, names: Sequence[str], limits: Sequence[Limit]) -> str | None:
    """The arm that limits are against, if there are such limits."""
    against = [str(limit) for limit in limits if limit.is_against_baseline]
    if given is None:
        if against:
            raise InvalidValue(
                f"limit {against[0]!r} needs a baseline: say which arm that is, such as baseline = {names[0]!r}"
            )
        return None
    baseline = arm_name(given)
    if baseline not in names:
        raise InvalidValue(f"baseline must be the name of an arm, got {baseline!r}{nearest(baseline, names)}")
    if not against:
        raise InvalidValue(
            f"baseline {baseline!r} must be used by a limit, such as mean >= baseline - 0.01, got no such limit"
        )
    return baseline


def outside() -> int:
    """How many calls up the code of the user is: where a warning belongs."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("surefoot."):
        frame, level = frame.f_back, level + 1
    return level
