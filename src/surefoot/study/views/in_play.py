"""Which arms matter now: who leads, who is beaten, who may still be the best."""

from heapq import nsmallest

from surefoot.core import verdicts
from surefoot.study.engine import Engine


def in_play(engine: Engine) -> list[int]:
    """The arms that are not ruled out."""
    incumbent, arms = incumbent_of(engine), enumerate(engine.state.arms)
    return [
        index for index, arm in arms if arm.verdict != verdicts.INFEASIBLE and not is_beaten(engine, index, incumbent)
    ]


def incumbent_of(engine: Engine) -> int:
    """The best arm known feasible, -1 if there is none."""
    return engine.best if engine.best >= 0 else int(engine.kernels.ranker.rank(engine.state).incumbent)


def contest(engine: Engine) -> tuple[int, int]:
    """The leader and its challenger, -1 where there is none."""
    ranking = engine.comparison.ranked(engine.state, engine.kernels.ranker.rank(engine.state))
    challenger = ranking.optimist
    if challenger == ranking.leader and challenger >= 0:
        challenger = engine.kernels.ranker.runner_up(engine.state, challenger)
    return int(ranking.leader), int(challenger)


def is_beaten(engine: Engine, index: int, incumbent: int) -> bool:
    """Is an arm surely no better than the incumbent, or than another arm known feasible?"""
    arm = engine.state.arms[index]
    if incumbent < 0 or index == incumbent:
        return False
    if engine.best >= 0 or arm.beaten_by > 0 or engine.comparison.is_below(engine.state, index, incumbent):
        return True
    return engine.program.items and is_told_apart(engine, incumbent, index)


def is_told_apart(engine: Engine, winner: int, index: int) -> bool:
    """Do the differences show that an arm is worse? The policy looks at the leader and its challenger alone."""
    evidence: float = engine.comparison.log_evidence(engine.state, winner, index, 0.0)
    return evidence >= engine.state.mean_parameters.pair_level  # type: ignore[no-any-return]


def overtakes(engine: Engine, index: int, winner: int) -> bool:
    """Are an arm's results better by now than those of the arm that it was found to be no better than?"""
    return bool(engine.comparison.is_ahead(engine.state, index, winner, engine.state.tolerance))


def foremost(engine: Engine, playing: list[int], count: int) -> list[int]:
    """The arms that matter most, in the problem's order: those in play first, then those pulled most."""
    matters, arms = set(playing), engine.state.arms
    order = nsmallest(count, range(len(arms)), key=lambda index: (index not in matters, -arms[index].metric.pulls))
    return sorted(order)
