"""The verdict on a limit of a finite list: what is certain, else what the tests have said, which stays (docs/finite.md)."""

from typing import Any

from surefoot.core import verdicts


def verdict(own: Any, known: int, parameters: Any) -> int:
    """`known` is the verdict that no result to come can change, OPEN if there is none: it overrides an earlier one."""
    if known != verdicts.OPEN:
        return known
    if own.said == verdicts.OPEN and own.infeasible_log_wealth >= parameters.infeasible_level:
        own.said = verdicts.INFEASIBLE
    elif own.said == verdicts.OPEN and own.feasible_log_wealth >= parameters.feasible_level:
        own.said = verdicts.FEASIBLE
    return own.said  # type: ignore[no-any-return]  # records have no types


def shares(own: Any, known: int, parameters: Any) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1; all or nothing where it is certain."""
    if known != verdicts.OPEN:
        return (1.0, 0.0) if known == verdicts.FEASIBLE else (0.0, 1.0)
    feasible = own.feasible_log_wealth / parameters.feasible_level
    infeasible = own.infeasible_log_wealth / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)
