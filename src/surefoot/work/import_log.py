"""Rewards of a log into a study that is kept, which then goes on live."""

from pathlib import Path

import numpy as np

from surefoot.errors import Conflict, InvalidValue, Unsupported, number
from surefoot.problem import Problem, choice
from surefoot.problem.reward_models import Bounded
from surefoot.study import Study
from surefoot.work.logs import Log


def check(problem: Problem, log: Log, policy: str | None = None, bounds: str | None = None) -> None:
    """Can the log be one of this problem's, and a study with this policy take it? Asked before anything is written."""
    if choice.program(problem, policy, bounds).policy.ONE_AT_A_TIME:
        raise Unsupported(f"{policy} can use only the pulls that it asked for: it takes no results of a log")
    known = set(problem.names)
    for name in log.names:
        if name not in known:
            raise InvalidValue(f"the log has an arm {name!r}, which is not in the problem")
    if isinstance(problem.rewards, Bounded):
        low, high = problem.rewards.low, problem.rewards.high
        outside = np.flatnonzero((log.rewards < low) | (log.rewards > high))
        if len(outside):
            arm, reward = log.names[log.arms[outside[0]]], float(log.rewards[outside[0]])
            number(f"a result of arm {arm!r}", reward, at_least=low, at_most=high)


def import_log(study: Study, log: Log, append: bool = False) -> int:
    """Record the rewards of a log, in its order, all or none; how many.

    A study that has rewards takes more only if told so: the same log twice would be no independent draws.
    """
    if study.spent and not append:
        raise Conflict(
            f"the study has {study.spent:,} pulls already: if these results are not among them, --append adds them"
        )
    study.record_all(
        (log.names[arm], reward) for arm, reward in zip(log.arms.tolist(), log.rewards.tolist(), strict=True)
    )
    return len(log.rewards)


def default_name(path: str) -> str:
    """What the study of a log is called, and the file that it is kept in."""
    return "log" if path == "-" else Path(path).stem
