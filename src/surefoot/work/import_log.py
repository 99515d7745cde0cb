"""Results of a log into a study that is kept, which then goes on live."""

from pathlib import Path

import numpy as np

from surefoot.errors import Conflict, InvalidValue, Unsupported, nearest
from surefoot.problem import Problem, choice
from surefoot.problem.metrics import REWARD, Metric
from surefoot.problem.reward_models import Binary, Bounded
from surefoot.study import Study
from surefoot.work.logs import ITEM_IF_THERE, Log


def check(problem: Problem, log: Log, policy: str | None = None, bounds: str | None = None) -> None:
    """Can the log be one of this problem's, and a study with this policy take it? Asked before anything is written."""
    if choice.program(problem, policy, bounds).policy.ONE_AT_A_TIME:
        raise Unsupported(f"{policy} can use only the pulls that it asked for: it takes no results of a log")
    check_arms(problem, log)
    for column, metric in enumerate(problem.metrics):
        check_values(problem, metric, log, column)


def metrics_in(file: str | None) -> list[str]:
    """The metrics of a problem file, which are columns of its logs; without one there is the only one."""
    return [metric.name for metric in Problem.load(file, arms=["any"]).metrics] if file else [REWARD]


def item_column(file: str | None) -> str | None:
    """The column that has the items, where arms are tried on the same ones; else a column of that name is like others."""
    return ITEM_IF_THERE if file and Problem.load(file, arms=["any"]).items else None


def check_arms(problem: Problem, log: Log) -> None:
    known = set(problem.names)
    for name in log.names:
        if name not in known:
            raise InvalidValue(f"the log has an arm {name!r}, which is not in the problem{nearest(name, known)}")


def check_values(problem: Problem, metric: Metric, log: Log, column: int) -> None:
    """Every value of a metric must be one that it can have: it is what the bounds rest on."""
    if metric.clip or not isinstance(metric.model, Bounded):
        return
    values = log.results[:, column]
    wrong = np.flatnonzero((values < metric.model.low) | (values > metric.model.high))
    if isinstance(metric.model, Binary):
        wrong = np.flatnonzero((values != 0.0) & (values != 1.0))
    if len(wrong):
        first = wrong[0]
        what = f"a result of arm {log.names[log.arms[first]]!r} (row {first + 1:,} of those with a result)"
        what = what if len(problem.metrics) == 1 else f"{metric.name} of {what}"
        metric.checked(what, float(values[first]))


def import_log(study: Study, log: Log, append: bool = False) -> int:
    """Record the rewards of a log, in its order, all or none; how many.

    A study that has rewards takes more only if told so: the same log twice would be no independent draws.
    """
    if study.spent and not append:
        raise Conflict(
            f"the study has {study.spent:,} pulls already: if these results are not among them, --append adds them"
        )
    rows = zip(log.arms.tolist(), log.results.tolist(), items_of(study.problem, log), strict=True)
    study.record_all((log.names[arm], study.problem.result(tuple(values)), *item) for arm, values, item in rows)
    return len(log.rewards)


def items_of(problem: Problem, log: Log) -> list[tuple[str | int, ...]]:
    """What each result was got on, if arms are tried on the same items.

    Results stay in the order of the log, and the study refuses those that are not in its own: to bring them into that order
    would shuffle a log whose length somebody may have chosen by looking at it.
    """
    if problem.items is None:
        return [()] * len(log.rewards)
    if not log.items or log.rows is None:
        raise InvalidValue("the log must have a column item, as all arms of this problem are tried on the same items")
    names: list[str | int] = list(log.items)
    if not problem.items.digest:
        names = [int(name) if name.isdecimal() else name for name in log.items]
    return [(names[row],) for row in log.rows.tolist()]


def default_name(path: str) -> str:
    """What the study of a log is called, and the file that it is kept in."""
    return "log" if path == "-" else Path(path).stem
