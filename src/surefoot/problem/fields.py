"""What a problem may be given beside its arms, as types: of every call that makes or changes one."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from surefoot.problem.reward_models import RewardModel
from surefoot.problem.risks import Risk

Rewards: TypeAlias = Sequence[float] | Literal["gaussian"] | RewardModel  # (low, high), or a model


class Fields(TypedDict, total=False):
    """None is as good as left out."""

    goal: str | None
    risk: Risk | str | None
    rewards: Rewards | None
    delta: float | None
    tolerance: float | None
    risk_slack: float | None
    max_pulls: int | None
    failure: float | None
