"""Metrics: the numbers that every pull of a problem returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from surefoot.errors import InvalidValue, nearest, one_of, own_number, shown
from surefoot.problem.reward_models import REWARDS, Bounded, RewardModel, reward_model

REWARD = "reward"  # what the only metric is called
RESERVED = ("baseline", "arm", "item", "pull", "time", "worker", "counted")  # what stands beside metrics, in tables
MEASURES = ("seconds", "failed")
FORMS = ("range", "binary", "any", "gaussian", "subgaussian")
Values: TypeAlias = tuple[float, ...]  # of one pull, a number for each metric
Result: TypeAlias = float | Mapping[str, float]  # the same as people give it: a number, or a number per metric


@dataclass(frozen=True, slots=True)
class Metric:
    """A named number that every pull returns.

    :param model: what is known of its values before the first one is seen.
    :param clip: a value beyond the range counts as the end of the range. It is counted and shown.
    :param measure: of a command, what is measured by us: `"seconds"`, its wall time; `"failed"`, 1 if it failed, or 0.

    >>> metric("latency", {"any": True, "measure": "seconds"})
    Metric(name='latency', model=Unbounded(), clip=False, measure='seconds')
    """

    name: str
    model: RewardModel
    clip: bool = False
    measure: str = ""
    keys: ClassVar[tuple[str, ...]] = (*FORMS, "clip", "measure")

    def __post_init__(self) -> None:
        name = metric_name(self.name)
        object.__setattr__(self, "model", reward_model(self.model, called(name)))
        if not isinstance(self.clip, bool):
            raise InvalidValue(f"clip of {name} must be true or false, got {self.clip!r}")
        if self.clip and type(self.model) is not Bounded:
            raise InvalidValue(f"clip of {name} needs a range to clip to, got {self.model}")
        if self.measure:
            one_of(f"measure of {name}", self.measure, MEASURES)

    def checked(self, what: str, value: Any) -> float:
        """`value` as one of this metric, as it was told."""
        if self.clip:
            return reward_model("any").checked(what, value)
        return self.model.checked(what, value)

    def clipped(self, value: float) -> float:
        """What the value counts as."""
        return min(max(value, self.model.low), self.model.high) if self.clip else value

    def plain(self) -> Any:
        """As a problem file has it."""
        return self.table() if self.clip or self.measure else self.model.plain()

    def table(self) -> dict[str, Any]:
        """The same, as a table whatever it is."""
        model = self.model.plain()
        table = model if isinstance(model, dict) else {model: True} if isinstance(model, str) else {"range": model}
        return table | ({"clip": True} if self.clip else {}) | ({"measure": self.measure} if self.measure else {})


def called(name: str) -> str:
    """What the values of a metric are called in sentences."""
    return REWARDS if name == REWARD else name


def metric_name(name: Any) -> str:
    """A name that can stand in expressions, as a column and as a key."""
    if not isinstance(name, str) or not name.strip() or name != name.strip() or not name.isprintable():
        raise InvalidValue(f"a metric's name must be some printable text on one line, got {shown(name)}")
    if any(sign in name for sign in ":\"'"):
        raise InvalidValue(f"a metric's name must have no colon and no quote, got {shown(name)}")
    if name in RESERVED:
        raise InvalidValue(f"a metric must not be called {name!r}: it has a meaning of its own there")
    return name


def metrics_of(given: Any) -> tuple[Metric, ...]:
    """The metrics that are meant: a mapping from names to what is known of each, or metrics; at least one."""
    if isinstance(given, Mapping):
        found = tuple(metric(name, value) for name, value in given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str) and all(isinstance(one, Metric) for one in given):
        found = tuple(given)
    else:
        raise InvalidValue(f'metrics must be a table such as {{"latency": [0, 10]}}, got {given!r}')
    if not found:
        raise InvalidValue("a problem must have at least one metric, got none")
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"each metric must have a name of its own, got {name!r} twice")
    return found


def metric(name: str, value: Any) -> Metric:
    """A metric from what stands beside its name: what is known of its values, or a table of that and more."""
    if isinstance(value, Metric):
        return Metric(name, value.model, value.clip, value.measure)
    if not isinstance(value, Mapping):
        return Metric(name, reward_model(value, called(name)))
    for key in value:
        if key not in Metric.keys:
            fields = ", ".join(Metric.keys)
            raise InvalidValue(f"metric {name!r} has no field {key!r}; it has {fields}{nearest(key, Metric.keys)}")
    forms = [form for form in FORMS if form in value]
    if len(forms) != 1:
        got = " and ".join(forms) or "nothing"
        raise InvalidValue(f"metric {name!r} must have one of {', '.join(FORMS)}, got {got}")
    form = forms[0]
    if form in ("range", "subgaussian"):
        known = value[form] if form == "range" else {form: value[form]}
    elif value[form] is True:
        known = form
    else:
        raise InvalidValue(f"{form} of metric {name!r} must be true, got {value[form]!r}")
    return Metric(name, reward_model(known, called(name)), value.get("clip", False), value.get("measure", ""))


def values_of(metrics: Sequence[Metric], what: str, result: Any) -> Values:
    """What a pull returned, checked: a number for each metric, in their order.

    >>> metrics = metrics_of({"accuracy": (0, 1), "latency": "any"})
    >>> values_of(metrics, "a result of arm 'A'", {"latency": 0.21, "accuracy": 1})
    (1.0, 0.21)
    """
    if not isinstance(result, Mapping):
        if len(metrics) == 1:
            return (metrics[0].checked(what, result),)
        names = ", ".join(repr(metric.name) for metric in metrics)
        raise InvalidValue(f"{what} must have a number for each of {names}, got {shown(own_number(result))}")
    missing = [repr(metric.name) for metric in metrics if metric.name not in result]
    unknown = [name for name in result if all(metric.name != name for metric in metrics)]
    if missing or unknown:
        names = ", ".join(repr(metric.name) for metric in metrics)
        wrong = [f"{' and '.join(missing)} missing"] if missing else []
        wrong += [f"{' and '.join(map(shown, unknown))} besides"] if unknown else []
        raise InvalidValue(
            f"{what} must have a number for each of {names}, and nothing else, got {', and '.join(wrong)}"
        )
    return tuple(metric.checked(f"{metric.name} of {what}", result[metric.name]) for metric in metrics)
