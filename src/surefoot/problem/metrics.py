"""Metrics: the numbers that every pull of a problem returns."""

from dataclasses import dataclass

from surefoot.problem.reward_models import RewardModel

REWARD = "reward"  # what the only metric is called


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    model: RewardModel  # what is known of its values before the first one is seen
