"""The problem: which arms, what is best, what is too risky, how sure to be. Validated, frozen, plain data."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Unpack

from surefoot.errors import Caution, InvalidValue, nearest, number, one_of, whole
from surefoot.files import read_text
from surefoot.problem import toml
from surefoot.problem.arms import Arm, Arms, fitted_arm, named
from surefoot.problem.fields import Fields, Rewards
from surefoot.problem.goals import GOALS, Goal, Mean
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import REWARD, Metric
from surefoot.problem.reward_models import Bounded, RewardModel, Scale, reward_model
from surefoot.problem.risks import NoRisk, Risk
from surefoot.problem.risks.expressions import parse


@dataclass(frozen=True, slots=True, init=False)
class Problem:
    """Find the arm with the best mean among those whose risk is within its limit.

    :param arms: names; or a mapping of names to where their results come from, such as `Beta(mean=0.5, variance=0.01)`.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: a range `(low, high)`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
    :param failure: what a pull that fails counts as. None: another pull takes its place.

    What is None is as if it were left out.

    >>> problem = Problem(arms=("A", "B"), risk="variance <= 0.04", rewards=(0, 1), delta=0.05)
    >>> problem.risk
    Variance(at_most=0.04)
    """

    arms: tuple[Arm, ...]
    risk: Risk
    rewards: RewardModel
    goal: str
    delta: float
    tolerance: float
    risk_slack: float
    max_pulls: int | None
    failure: float | None
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    answer: ClassVar[str] = "best"  # what is asked for
    design: ClassVar[str] = "independent"  # how the pulls of different arms belong together

    def __init__(
        self,
        arms: Arms,
        *,
        risk: Risk | str | None = "none",
        rewards: Rewards | None = (0.0, 1.0),
        goal: str | None = "max",
        delta: float | None = 0.05,
        tolerance: float | None = 0.0,
        risk_slack: float | None = 0.0,
        max_pulls: int | None = None,
        failure: float | None = None,
    ) -> None:
        def settle(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        def given(name: str, value: Any) -> Any:
            """None is as good as left out."""
            return DEFAULTS[name] if value is None else value

        settle("rewards", reward_model(given("rewards", rewards)))
        risk = given("risk", risk)
        settle("risk", risk if isinstance(risk, Risk) else parse(risk))
        self.risk.check(self.rewards)
        settle("goal", one_of("goal", given("goal", goal), GOALS))
        settle("delta", number("delta", given("delta", delta), above=0, below=1))
        number("delta", self.delta, at_least=1e-100)
        settle("tolerance", number("tolerance", given("tolerance", tolerance), at_least=0))
        settle("risk_slack", number("risk_slack", given("risk_slack", risk_slack), at_least=0))
        if self.risk_slack and not self.limits:
            raise InvalidValue(f"risk_slack must be 0 if there is no limit, got {risk_slack!r}")
        settle("max_pulls", None if max_pulls is None else whole("max_pulls", max_pulls, at_least=1))
        settle("failure", None if failure is None else self.rewards.checked("failure", failure))
        settle("arms", tuple(fitted_arm(arm, self.rewards) for arm in named(arms)))
        settle("names", tuple(arm.name for arm in self.arms))

    def check_new(self) -> None:
        """Refuse what no new problem should ask, and warn of what it probably does not mean.

        Not a part of creating the object: a study that was begun before a check was made goes on as it is.
        """
        if isinstance(self.rewards, Bounded) and self.tolerance >= (width := abs(self.scale.width)):
            raise InvalidValue(
                f"tolerance must be below {width:g}, the width of the range of rewards, got {self.tolerance:g}: "
                "otherwise every arm would be as good as the best"
            )
        if self.risk_slack >= (span := self.risk.span(self.rewards)):
            raise InvalidValue(
                f"risk_slack must be below {span:g}, got {self.risk_slack:g}: otherwise no arm with {self.rewards} "
                f"could break {self.risk}"
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
        if self.limits and not self.risk.can_fail(self.rewards, self.risk_slack):
            slack = f" by more than the risk_slack of {self.risk_slack:g}" if self.risk_slack else ""
            found.append(f"no arm with {self.rewards} can break {self.risk}{slack}: every arm counts as feasible")
        return tuple(found)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What every pull returns."""
        return (Metric(REWARD, self.rewards),)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What makes an arm the best."""
        return (Goal(self.goal, Mean(REWARD)),)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """What an arm must keep to be feasible, all of them."""
        return () if isinstance(self.risk, NoRisk) else (Limit(self.risk, self.risk_slack, REWARD),)

    @property
    def scale(self) -> Scale:
        """From the reward's own scale to the kernels'."""
        return self.rewards.scale(self.goal)

    @property
    def inward(self) -> Callable[[float], float]:
        """What takes one reward to the kernels' scale."""
        return self.risk.mover(self.scale, self.risk_slack)

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
        return replace(arms, **given) if isinstance(arms, Problem) else cls(arms, **given)

    def but(self, **changes: Unpack[Fields]) -> "Problem":
        """The same problem with some fields changed; None leaves a field as it is."""
        return Problem.of(self, **changes)

    @classmethod
    def load(cls, path: str | Path, folder: str | Path | None = None) -> "Problem":
        """Read a problem file (TOML); paths in it start at `folder`, which is the file's own by default."""
        path, text = Path(path), read_text(path, "the problem must be")
        try:
            return cls.loads(text, path.parent if folder is None else folder)
        except InvalidValue as error:
            raise InvalidValue(f"{path}: {error}") from error

    @classmethod
    def loads(cls, text: str, folder: str | Path = ".") -> "Problem":
        """Read a problem from TOML text; paths in it start at `folder`."""
        return cls(**toml.read(text, Path(folder)))

    def dumps(self) -> str:
        """The problem as TOML text; `loads` reads it back."""
        return toml.written(self)


CHANGEABLE = tuple(Fields.__annotations__)
DEFAULTS: dict[str, Any] = dict(Problem.__init__.__kwdefaults__ or {})


def outside() -> int:
    """How many calls up the code of the user is: where a warning belongs."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("surefoot."):
        frame, level = frame.f_back, level + 1
    return level
