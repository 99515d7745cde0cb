"""The functions that a user writes, and what each is given. These stand in for them until one is registered."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.core.state import Ranking, State
from surefoot.core.statistics import Statistics


def interval(arm: Statistics, lower_miss: float, upper_miss: float) -> tuple[float, float]:
    """Of a mean bound: L and U of the mean of an arm, rewards being on [0, 1].

    Over all numbers of pulls together, L may exceed the mean with probability `lower_miss` at most, U may fall below it with
    probability `upper_miss`.
    """
    raise NotImplementedError


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """Of a policy: write the arms to pull in this step into `state.asked`, and say how many they are."""
    raise NotImplementedError


def observe(arm: Any, limit: Any, reward: float) -> None:
    """Of a limit test: fold one reward, on its own scale, into the arm's fields. `arm.pulls` counts it already.

    The feasible test has `limit.wide` for its limit, the infeasible test `limit.value`.
    """
    raise NotImplementedError


def log_wealths(arm: Any, limit: Any) -> tuple[float, float]:
    """Of a limit test: the logarithms of two wealths, of bets that the risk is within the limit and that it is beyond.

    Each must be a supermartingale that starts at 1 if what it bets on is false.
    """
    raise NotImplementedError


def estimate(arm: Any, limit: Any) -> float:
    """Of a limit test: the risk as the rewards so far have it, for people."""
    raise NotImplementedError
