"""What a problem may be given beside its arms, as types: of every call that makes or changes one."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from surefoot.problem.items import GivenItems
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Metric, Result
from surefoot.problem.reward_models import RewardModel
from surefoot.problem.risks import Risk

Rewards: TypeAlias = Sequence[float] | Literal["binary", "gaussian", "any"] | RewardModel  # (low, high), or a model
Metrics: TypeAlias = Mapping[str, Rewards | Mapping[str, Any] | Metric] | Sequence[Metric]  # what is known of each
Limits: TypeAlias = Sequence[str | Risk | Limit | Mapping[str, Any]]


class Fields(TypedDict, total=False):
    """None is as good as left out."""

    goal: str | None
    risk: Risk | str | None
    rewards: Rewards | None
    delta: float | None
    tolerance: float | None
    risk_slack: float | None
    max_pulls: int | None
    failure: Result | None
    metrics: Metrics | None
    limits: Limits | None
    baseline: str | None
    design: str | None
    items: GivenItems | None
    finite: bool | None
    replacement: bool | None
