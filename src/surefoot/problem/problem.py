"""The problem: which arms, what is best, what is too risky, how sure to be. Validated, frozen, plain data."""

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.registry import BOUNDS, POLICIES, family, preferred
from surefoot.errors import Caution, InvalidValue, Unsupported, nearest, number, one_of, own_number, shown, whole
from surefoot.files import read_text, read_toml
from surefoot.problem.distributions import Distribution, fitted
from surefoot.problem.models import Bounded, Gaussian, RewardModel, Scale, SubGaussian, reward_model
from surefoot.problem.risks import NoRisk, Risk, parse
from surefoot.problem.sources import SOURCES, Source, source

GOALS = ("max", "min")


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    source: Source | None = None  # None: whoever asks for the pull brings the reward

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", arm_name(self.name))


def arm_name(name: Any) -> str:
    """The name that an arm is given: text; or a finite number, written so that equal numbers are the same name.

    >>> arm_name("A"), arm_name(1), arm_name(1.0), arm_name(0.5)
    ('A', '1', '1', '0.5')
    """
    found = own_number(name)
    if isinstance(found, Real | Decimal) and not isinstance(found, bool) and math.isfinite(found):
        found = str(name).removesuffix(".0")
    if not isinstance(found, str) or not found.strip() or not found.isprintable():
        raise InvalidValue(f"an arm's name must be some printable text on one line, or a number, got {shown(name)}")
    return str(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Find the arm with the best mean among those whose risk is within its limit.

    >>> problem = Problem(arms=("A", "B"), risk="variance <= 0.04", rewards=(0, 1), delta=0.05)
    >>> problem.risk
    Variance(at_most=0.04)
    """

    arms: tuple[Arm, ...]
    risk: Risk = field(default_factory=NoRisk)
    rewards: RewardModel = field(default_factory=Bounded)
    goal: str = "max"
    delta: float = 0.05
    tolerance: float = 0.0
    risk_slack: float = 0.0
    max_pulls: int | None = None
    failure: float | None = None  # what a pull that fails counts as; None: it is tried again
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def settle(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        settle("rewards", reward_model(self.rewards))
        settle("risk", self.risk if isinstance(self.risk, Risk) else parse(self.risk))
        self.risk.check(self.rewards)
        settle("goal", one_of("goal", self.goal, GOALS))
        settle("delta", number("delta", self.delta, above=0, below=1))
        number("delta", self.delta, at_least=1e-100)
        settle("tolerance", number("tolerance", self.tolerance, at_least=0))
        settle("risk_slack", number("risk_slack", self.risk_slack, at_least=0))
        if self.risk_slack and isinstance(self.risk, NoRisk):
            raise InvalidValue(f"risk_slack must be 0 where there is no limit to widen, got {self.risk_slack!r}")
        if self.max_pulls is not None:
            settle("max_pulls", whole("max_pulls", self.max_pulls, at_least=1))
        if self.failure is not None:
            settle("failure", self.rewards.checked("failure", self.failure))
        settle("arms", tuple(fitted_arm(arm, self.rewards) for arm in named(self.arms)))
        settle("names", tuple(arm.name for arm in self.arms))

    def check_new(self) -> None:
        """Refuse what no new problem should ask, and warn of what it probably does not mean.

        Not a part of creating the object: a study that was begun before a check was made goes on as it is.
        """
        if isinstance(self.rewards, Bounded) and self.tolerance >= (width := abs(self.scale.width)):
            raise InvalidValue(
                f"tolerance must be below {width:g}, the width of the range of rewards, got {self.tolerance:g}: "
                "with that, every arm is as good as the best"
            )
        if self.risk_slack >= (span := self.risk.span(self.rewards)):
            raise InvalidValue(
                f"risk_slack must be below {span:g}, got {self.risk_slack:g}: with that, no arm with {self.rewards} "
                f"breaks {self.risk}"
            )
        for caution in self.cautions:
            warnings.warn(caution, Caution, stacklevel=outside())

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is allowed, and probably not what was meant, in sentences."""
        if self.delta <= 0.5:
            return ()
        return (
            f"delta is the probability of a wrong decision, got {self.delta:g}: did you mean {1.0 - self.delta:.3g}?",
        )

    @property
    def scale(self) -> Scale:
        """From the reward's own scale to the kernels'."""
        return self.rewards.scale(self.goal)

    @property
    def inward(self) -> Callable[[float], float]:
        """What takes one reward to the kernels' scale."""
        return self.risk.mover(self.scale, self.risk_slack)

    @property
    def question(self) -> Question:
        """The problem in the kernels' numbers."""
        width = abs(self.scale.width)
        return Question(
            arms=len(self.arms),
            delta=self.delta,
            tolerance=self.tolerance / width,
            limit=self.risk.limit(self.scale, self.risk_slack),
            highest=1.0 if isinstance(self.rewards, Bounded) else math.inf,
            sigma=self.rewards.sigma if isinstance(self.rewards, SubGaussian) else math.nan,
            largest_variance=self.rewards.largest_variance / width**2,
            tested=self.risk.can_fail(self.rewards, self.risk_slack),
            widened=self.risk_slack > 0.0,
        )

    def preferred(self, policy: str | None = None, bounds: str | None = None) -> tuple[str, str]:
        """The policy and the bounds that decide this problem, where one or both are not named."""
        return preferred(policy, bounds, self.rewards.kind, self.risk.test)

    def program(
        self, policy: str | None = None, bounds: str | None = None, question: Question | None = None
    ) -> Program:
        """The kernels that decide this problem; refused where they would guarantee nothing."""
        policy, bounds = self.preferred(policy, bounds)
        one_of("policy", policy, POLICIES)
        one_of("bounds", bounds, BOUNDS)
        kind, test = self.rewards.kind, self.risk.test
        found = family(policy, bounds, kind)
        if found is None or test not in found.risk_tests:
            limit = "problems without a limit" if isinstance(self.risk, NoRisk) else str(self.risk)
            asked = f"{policy} with bounds {bounds!r} cannot decide {limit} for {self.rewards}"
            raise Unsupported(f"{asked}; {would_work(policy, kind, test)}")
        question = question or self.question
        if why := getattr(found.mean_bound, "refuses", lambda question: "")(question):
            raise Unsupported(f"{policy} with bounds {bounds!r} cannot decide this problem: {why}")
        return Program(POLICIES[policy], found.standings, found.mean_bound, found.risk_tests[test])

    @classmethod
    def of(cls, arms: Any, **fields: Any) -> "Problem":
        """A problem from arms and fields; or, of a problem itself, the same with these fields changed."""
        for name in fields:
            if name not in CHANGEABLE:
                known = ", ".join(CHANGEABLE)
                raise InvalidValue(f"a problem has no field {name!r}; it has {known}{nearest(name, CHANGEABLE)}")
        return replace(arms, **fields) if isinstance(arms, Problem) else cls(arms=arms, **fields)

    def but(self, **changes: Any) -> "Problem":
        """The same problem with some fields changed; None leaves a field as it is."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

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
        table = read_toml(text, "the problem must be")
        if unknown := sorted(set(table) - set(FIELDS)):
            known = ", ".join(FIELDS)
            raise InvalidValue(f"a problem has no field {unknown[0]!r}; it has {known}{nearest(unknown[0], FIELDS)}")
        if "subgaussian" in table:
            if "rewards" in table:
                raise InvalidValue("a problem must give rewards or subgaussian, got both")
            table["rewards"] = SubGaussian(number("subgaussian", table.pop("subgaussian")))
        if "rewards" not in table:
            raise InvalidValue('rewards must be a range [low, high] or "gaussian" (or give subgaussian), got nothing')
        table["rewards"] = reward_model(table["rewards"])
        table["arms"] = tuple(arm(entry, table["rewards"], Path(folder)) for entry in listed(table.get("arms")))
        return cls(**table)

    def dumps(self) -> str:
        """The problem as TOML text; `loads` reads it back."""
        import tomli_w

        table: dict[str, Any] = {"goal": self.goal, "risk": str(self.risk)}
        match self.rewards:
            case Bounded(low, high):
                table["rewards"] = [low, high]
            case Gaussian():
                table["rewards"] = "gaussian"
            case SubGaussian(sigma):
                table["subgaussian"] = sigma
        table |= {"delta": self.delta, "tolerance": self.tolerance, "risk_slack": self.risk_slack}
        if self.max_pulls is not None:
            table["max_pulls"] = self.max_pulls
        if self.failure is not None:
            table["failure"] = self.failure
        table["arms"] = [
            {"name": arm.name} | ({arm.source.key: arm.source.plain()} if arm.source else {}) for arm in self.arms
        ]
        return tomli_w.dumps(table)


CHANGEABLE = ("goal", "risk", "rewards", "delta", "tolerance", "risk_slack", "max_pulls", "failure")
FIELDS = ("goal", "risk", "rewards", "subgaussian", "delta", "tolerance", "risk_slack", "max_pulls", "failure", "arms")


def named(arms: Any) -> tuple[Arm, ...]:
    """Arms from names, from a mapping of names to sources, or from arms; each name once."""
    if isinstance(arms, Mapping):
        arms = [Arm(name, source) for name, source in arms.items()]
    if isinstance(arms, str) or not isinstance(arms, Iterable):
        raise InvalidValue(f"arms must be a list of names, got {arms!r}")
    found = tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in arms)
    if not found:
        raise InvalidValue("a problem must have at least one arm, got none")
    seen: set[str] = set()
    for arm in found:
        if arm.name in seen:
            raise InvalidValue(f"each arm must have a name of its own, got {arm.name!r} twice")
        seen.add(arm.name)
    return found


def outside() -> int:
    """How many calls up the code of the user is: where a warning belongs."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("surefoot."):
        frame, level = frame.f_back, level + 1
    return level


def fitted_arm(arm: Arm, rewards: RewardModel) -> Arm:
    if not isinstance(arm.source, Source | None):
        raise InvalidValue(
            f"arm {arm.name!r} must have a source of rewards such as Beta(...) or none, got {arm.source!r}"
        )
    if not isinstance(arm.source, Distribution):
        return arm
    try:
        return Arm(arm.name, fitted(arm.source, rewards))
    except InvalidValue as error:
        raise InvalidValue(f"arm {arm.name!r}: {error}") from error


def would_work(policy: str, kind: str, test: str) -> str:
    """Other bounds under this policy, or else other policies."""

    def can(policy: str, bounds: str) -> bool:
        found = family(policy, bounds, kind)
        return found is not None and test in found.risk_tests

    if bounds := [name for name in BOUNDS if can(policy, name)]:
        return f"bounds {' or '.join(map(repr, bounds))} would work"
    policies = [name for name in POLICIES if any(can(name, bounds) for bounds in BOUNDS)]
    return f"policy {' or '.join(map(repr, policies))} would work" if policies else "nothing can yet"


def listed(entries: Any) -> list[Any]:
    if not isinstance(entries, list):
        raise InvalidValue(f"arms must be [[arms]] tables, got {'nothing' if entries is None else repr(entries)}")
    return entries


def arm(entry: Any, rewards: RewardModel, folder: Path) -> Arm:
    """An arm from its table in a problem file: a name and at most one source."""
    if not isinstance(entry, dict):
        raise InvalidValue(f"each of arms must be a table, got {entry!r}")
    sources = [key for key in entry if key != "name"]
    name: Any = entry.get("name")
    for key in sources:
        if key not in SOURCES:
            known = ", ".join(SOURCES)
            close = nearest(key, ("name", *SOURCES))
            raise InvalidValue(f"arm {name!r} has no field {key!r}; it has name and one of {known}{close}")
    if len(sources) > 1:
        raise InvalidValue(f"arm {name!r} must have one source of rewards, got {' and '.join(sources)}")
    try:
        return Arm(name, source(sources[0], entry[sources[0]], rewards, folder) if sources else None)
    except InvalidValue as error:
        raise InvalidValue(f"arm {name!r}: {error}") from error
