"""A problem file whose arms are guessed: a number of a distribution may be a range, from which each run draws its own."""

from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import InvalidValue, number
from surefoot.files import read_text, read_toml
from surefoot.problem import Problem
from surefoot.problem.distributions import DISTRIBUTIONS
from surefoot.problem.limits import Limit
from surefoot.problem.reward_sources import PerMetric
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.simulation import Instance


class Guesses:
    """What is guessed of each arm.

    >>> guesses = Guesses.loads("rewards = [0, 1]\\n[[arms]]\\nname = 'A'\\nbernoulli = [0.2, 0.4]")
    >>> guesses.ranged, round(guesses.middle.distributions[0].mean, 3)
    (True, 0.3)
    """

    def __init__(self, table: dict[str, Any], folder: Path) -> None:
        self.table, self.folder = table, folder
        self.middle = self.instance(None)  # of every range
        self.ranged = table != self.drawn(table, None)
        for corner in (0.0, 1.0):  # a range must fit at both ends
            self.instance(Corner(corner))

    @classmethod
    def load(cls, path: str | Path) -> "Guesses":
        """Read a problem file with guesses."""
        path, text = Path(path), read_text(path, "the problem must be")
        try:
            return cls.loads(text, path.parent)
        except InvalidValue as error:
            raise InvalidValue(f"{path}: {error}") from error

    @classmethod
    def loads(cls, text: str, folder: str | Path = ".") -> "Guesses":
        return cls(read_toml(text, "the problem must be"), Path(folder))

    def instance(self, generator: "np.random.Generator | Corner | None") -> Instance:
        """An instance that the guesses allow: drawn, or with the middle of every range."""
        import tomli_w

        return Instance(Problem.loads(tomli_w.dumps(self.drawn(self.table, generator)), self.folder))

    def drawn(self, table: dict[str, Any], generator: "np.random.Generator | Corner | None") -> dict[str, Any]:
        """The table of a problem with a number in the place of each range."""
        arms = table.get("arms")
        if not isinstance(arms, list) or not all(isinstance(arm, dict) for arm in arms):
            return table
        return table | {"arms": [{key: settled(key, value, generator) for key, value in arm.items()} for arm in arms]}

    def with_another(self, like: str) -> "Guesses":
        """The same with one more arm, guessed like this one."""
        model = next(arm for arm in self.table["arms"] if arm["name"] == like)
        name = f"another {like}"
        while name in self.middle.problem.names:
            name = f"another {name}"
        return Guesses(self.table | {"arms": [*self.table["arms"], model | {"name": name}]}, self.folder)

    def but(self, **changes: Any) -> "Guesses":
        """The same with some fields of the problem changed; None leaves a field as it is."""
        return Guesses(self.table | {key: value for key, value in changes.items() if value is not None}, self.folder)


class Corner:
    """In place of a generator: always the same end of a range."""

    def __init__(self, share: float) -> None:
        self.share = share

    def random(self) -> float:
        return self.share


def settled(key: str, value: Any, generator: "np.random.Generator | Corner | None") -> Any:
    """A source of rewards with a number in the place of each range."""
    if key == PerMetric.key and isinstance(value, dict):
        return {name: settled_metric(table, generator) for name, table in value.items()}
    if key not in DISTRIBUTIONS or not DISTRIBUTIONS[key].guessed:
        return value
    if isinstance(value, dict):
        return {name: settled_number(f"{name} of {key}", item, generator) for name, item in value.items()}
    return settled_number(key, value, generator)


def settled_metric(table: Any, generator: "np.random.Generator | Corner | None") -> Any:
    """The distribution of one metric, the same way."""
    if not isinstance(table, dict):
        return table
    return {key: settled(key, value, generator) for key, value in table.items()}


def settled_number(name: str, value: Any, generator: "np.random.Generator | Corner | None") -> Any:
    if not isinstance(value, list):
        return value
    if len(value) != 2:
        raise InvalidValue(f"{name} must be a number or a range [low, high], got {value!r}")
    low = number(f"the lower end of {name}", value[0])
    high = number(f"the upper end of {name}", value[1], at_least=low)
    return low + (high - low) * (0.5 if generator is None else float(generator.random()))


NEAR = 0.02  # of the range of rewards, or of the limit


def doubts(instance: Instance) -> list[str]:
    """What makes an instance impossible, or nearly so, to decide: arms that tie, or lie on the limit."""
    problem = instance.problem
    (goal,) = problem.goals
    worths = [goal.worth(arm) for arm in instance.distributions]
    feasible = [arm for arm, allowed in enumerate(instance.feasible) if allowed]
    best = max(feasible, key=lambda arm: worths[arm], default=None)
    sentences: list[str | None] = []
    for arm in range(len(problem.arms)):
        if best is not None and arm != best and instance.feasible[arm] and not problem.tolerance:
            sentences.append(doubt_of_gap(problem, arm, best, worths[best] - worths[arm]))
        if best is None or not worths[arm] < worths[best] - problem.tolerance:  # else its risk decides nothing
            sentences += [doubt_of_limit(instance, arm, limit) for limit in problem.limits]
    return [sentence for sentence in sentences if sentence]


def doubt_of_gap(problem: Problem, arm: int, best: int, gap: float) -> str | None:
    """Is an arm, feasible as the best is, hard to tell from it?"""
    name, other = problem.names[arm], problem.names[best]
    if gap <= 0.0:
        return f"{name} ties with the best, {other}: {CURES['tie']}"
    if gap < NEAR * abs(problem.scale.width):
        return f"{name} is within {gap:.3g} of the best, {other}: {CURES['near tie']}"
    return None


def doubt_of_limit(instance: Instance, arm: int, limit: Limit) -> str | None:
    """Is it hard to tell on which side of the limit an arm lies?"""
    problem = instance.problem
    if limit.slack or (limit.is_against_baseline and problem.names[arm] == problem.baseline):
        return None
    value, bound = limit.risk.value(instance.of(instance.sources[arm], limit.metric)), limit.risk.bound
    if isinstance(limit.risk, AgainstBaseline):
        other = instance.sources[problem.names.index(problem.baseline)]
        bound += limit.risk.to.factor * limit.risk.value(instance.of(other, limit.metric))
    described = f"the {limit.name} of {problem.names[arm]}"
    slack = "risk_slack" if problem.is_short else "slack"
    if abs(value - bound) <= 1e-9 * max(abs(bound), 1e-300):
        return f"{described} is on the limit: {CURES['limit'].format(slack)}"
    if abs(value - bound) < NEAR * abs(bound):
        return f"{described}, {value:.4g}, is close to the limit: {CURES['near limit'].format(slack)}"
    return None


CURES = {
    "tie": "no number of pulls decides between them; give a tolerance",
    "near tie": "to tell them apart takes many pulls; a tolerance saves them",
    "limit": "no number of pulls decides on which side it is; give a {}",
    "near limit": "to decide on which side it is takes many pulls; a {} saves them",
}
