"""The margin: by how much the candidate may be worse than the baseline."""

from dataclasses import dataclass

from surefoot.errors import InvalidValue, number, parsed_number
from surefoot.work.gate.streams import Requirement


def read_part(name: str, text: str, part: bool) -> tuple[float, bool]:
    """A number, and whether it is a part of the baseline; a percentage always is.

    >>> read_part("margin", "2%", part=False), read_part("margin", "0.02", part=False)
    ((0.02, True), (0.02, False))
    """
    stripped = text.strip()
    try:
        value = parsed_number(stripped.removesuffix("%").strip())
    except ValueError:
        raise InvalidValue(f"{name} must be a number such as 0.02, or a percentage such as 2%, got {text!r}") from None
    if stripped.endswith("%"):
        return number(name, value, at_least=0) / 100.0, True
    return number(name, value, at_least=0), part


@dataclass(frozen=True, slots=True)
class Margin:
    """The candidate is good if it is worse than the baseline by no more than this.

    :param part: is it a part of the baseline's value (0.02: 2 %)? Else it is in the metric's own unit.
    :param slack: how much more it may be worse and still pass. Between the two, both verdicts are right.
    :param direction: `"max"` if more is better, `"min"` if less is.
    """

    value: float = 0.0
    part: bool = True
    slack: float = 0.0
    direction: str = "min"

    @classmethod
    def read(cls, margin: str, slack: str, direction: str, part: bool) -> "Margin":
        """The margin and the slack that texts mean, in the same unit."""
        value, in_parts = read_part("margin", margin, part)
        more, also = read_part("slack", slack, in_parts)
        if not value:  # nothing has no unit
            in_parts = also
        if in_parts != also:
            raise InvalidValue(f"margin and slack must be in the same unit, got {margin} and {slack}")
        if in_parts and direction == "max" and value + more >= 1.0:
            raise InvalidValue(f"margin and slack must be below 100 % together, got {margin} and {slack}")
        return cls(value, in_parts, more, direction)

    @property
    def sign(self) -> float:
        return 1.0 if self.direction == "max" else -1.0

    def requirement(self, margin: float) -> Requirement:
        """What the candidate must be, at a margin."""
        if self.part:
            return Requirement(self.sign, 1.0 - self.sign * margin, 0.0)
        return Requirement(self.sign, 1.0, -self.sign * margin)

    @property
    def to_pass(self) -> Requirement:
        """What is shown of a candidate that passes."""
        return self.requirement(self.value + self.slack)

    @property
    def to_fail(self) -> Requirement:
        """What a candidate that fails is shown not to be."""
        return self.requirement(self.value)

    def difference(self, baseline: float, candidate: float) -> float:
        """Candidate less baseline, in the margin's unit."""
        if not self.part:
            return candidate - baseline
        if baseline == 0.0:
            return 0.0 if candidate == 0.0 else float("inf")
        return candidate / baseline - 1.0
