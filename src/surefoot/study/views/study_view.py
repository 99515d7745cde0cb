"""How a study stands, at one moment: what a page or a service shows."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.problem.metrics import REWARD
from surefoot.storage import Event, Turn
from surefoot.study import event_results
from surefoot.study.views.decision import Decision, decision
from surefoot.study.views.forecast import pulls_left
from surefoot.study.views.in_play import foremost, in_play
from surefoot.study.views.notices import Notice
from surefoot.study.views.recommendation import Recommendation
from surefoot.study.views.table import Table, table

if TYPE_CHECKING:
    from surefoot.study.readable_study import ReadableStudy

RECENT = 12  # results


class LimitLine(NamedTuple):
    """A limit, as a line to draw."""

    limit: str  # as people write it
    name: str  # of the number that is limited
    metric: str
    value: float
    slack: float
    is_floor: bool  # is it feasible to be above?


class Result(NamedTuple):
    """A result that arrived."""

    time: float
    arm: str
    reward: float | None  # of the only metric, if it is called so
    pull: int | None  # None if it was not asked for
    late: bool  # and so not counted
    failed: str | None = None  # why the pull failed, if it did and counts as this result
    values: dict[str, float] | None = None  # by metric; None: a service that is older does not say
    item: str | int | None = None  # what the arm was tried on, where all arms are tried on the same items


class StudyView(NamedTuple):
    created: Event
    position: int
    decided: bool
    decision: Decision
    recommendation: Recommendation
    warnings: list[Notice]
    table: Table
    in_play: int
    contest: tuple[str | None, str | None]  # the leader and its challenger
    pulls: int
    spent: int
    pending: int
    left: int | None  # an estimate of the pulls missing
    recent: list[Result]  # the last first


def limit_lines(problem: Problem) -> list[LimitLine]:
    """The limits, in the problem's order."""
    return [
        LimitLine(
            str(limit),
            limit.shown_name,
            limit.metric,
            limit.risk.bound,
            limit.slack,
            limit.risk.is_floor,
        )
        for limit in problem.limits
    ]


def view_of(study: "ReadableStudy", arms: int | None) -> StudyView:
    """Of a study, up to date, with a row for each arm, or for so many: those in play first, then those pulled most."""
    if arms is not None and arms < 0:
        raise InvalidValue(f"arms must be a whole number of at least 0, got {arms!r}")
    replica = study._replica
    with replica.lock:
        with replica.transaction() as transaction:  # the storage is locked for this only
            latest = recent(study, transaction.turn)
        problem, engine = replica.state.problem, replica.state.engine
        playing, warnings = in_play(engine), study.warnings
        some = None if arms is None or arms >= len(problem.arms) else foremost(engine, playing, arms)
        rows, now = table(problem, engine, some), study.recommendation
        if some is not None:  # of ten thousand candidates, a page wants those that it shows
            shown = {row.name for row in rows}
            now = replace(now, candidates=tuple(name for name in now.candidates if name in shown))
        return StudyView(
            created=replica.state.created,
            position=replica.position,
            decided=engine.finished,
            decision=replace(decision(problem, engine, warnings), candidates=now.candidates),
            recommendation=now,
            warnings=warnings,
            table=rows,
            in_play=len(playing),
            contest=study.contest,
            pulls=engine.counted,
            spent=engine.spent,
            pending=len(engine.in_flight),
            left=pulls_left(problem, engine),
            recent=latest,
        )


def recent(study: "ReadableStudy", turn: Turn) -> list[Result]:
    """The last results, the last first."""
    problem, items, results = study.problem, study._items, list[Result]()
    events = list(study.history(max(study.position - 5 * RECENT, 0)))
    for event in reversed(events):
        if len(results) == RECENT:
            break
        if event["type"] == "told":
            asked = turn.of_pull(event["pull"])[0]
            place = event["pull"] - asked["pull"]
            arm, item = asked["arms"][place], asked["items"][place] if items else None
        elif event["type"] == "recorded":
            arm, item = event["arm"], event.get("item")
        else:
            continue
        told = dict(zip((metric.name for metric in problem.metrics), event_results.values(event), strict=True))
        reward = told[REWARD] if [*told] == [REWARD] else None
        pull, late, failed = event.get("pull"), event.get("late", False), event.get("failed")
        on = items.shown(item) if items else None
        results.append(Result(event["time"], problem.names[arm], reward, pull, late, failed, told, on))
    return results
