"""Arms: their names, and where each has its rewards from."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from surefoot.errors import InvalidValue, own_number, shown
from surefoot.problem.metrics import Metric

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_sources import Source


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    source: "Source | None" = None  # None: whoever asks for the pull brings the reward

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", arm_name(self.name))


# What may be given for them.
Arms: TypeAlias = Iterable[str | float | Arm] | Mapping[str, "Source | Mapping[str, Distribution] | None"]


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


def fitted_arm(arm: Arm, metrics: Sequence[Metric]) -> Arm:
    """The arm, if its source can be one of results with these metrics."""
    if arm.source is None:
        return arm
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_sources import Data, PerMetric, Source

    given = PerMetric.of(arm.source) if isinstance(arm.source, Mapping) else arm.source
    if not isinstance(given, Source):
        raise InvalidValue(
            f"arm {arm.name!r} must have a source of rewards such as Beta(...) or none, got {arm.source!r}"
        )
    if not isinstance(given, Distribution | PerMetric | Data):
        return arm
    try:
        return Arm(arm.name, given.fitted_to(metrics))
    except InvalidValue as error:
        raise InvalidValue(f"arm {arm.name!r}: {error}") from error
