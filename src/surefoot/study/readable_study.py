"""What people read of a study: how things stood when it was last called or refreshed.

What shows a study is imported where it is used: a worker that never looks loads none of it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.problem import Problem
from surefoot.problem.items import Items
from surefoot.storage import Event
from surefoot.study.any_study import AnyStudy
from surefoot.study.engine import Engine
from surefoot.study.pull import Pull, named
from surefoot.study.replica import Replica

if TYPE_CHECKING:
    from surefoot.study.results import Results
    from surefoot.study.views.decision import Decision
    from surefoot.study.views.notices import Notice
    from surefoot.study.views.recommendation import Recommendation
    from surefoot.study.views.study_view import StudyView
    from surefoot.study.views.table import Table


class ReadableStudy(AnyStudy):
    """The part of `Study` that people read."""

    _replica: Replica
    _given_items: Items | None

    @property
    def problem(self) -> Problem:
        return self._replica.state.problem

    @property
    def decided(self) -> bool:
        return self._engine.finished

    @property
    def decision(self) -> "Decision":
        from surefoot.study.views.decision import decision

        with self._replica.lock:
            return decision(self.problem, self._engine, self.warnings).of(self)

    @property
    def recommendation(self) -> "Recommendation":
        from surefoot.study.views.recommendation import recommendation

        with self._replica.lock:
            return recommendation(self.problem, self._engine)

    @property
    def warnings(self) -> "list[Notice]":
        from surefoot.study.views.notices import notices

        with self._replica.lock:
            return notices(self.problem, self._engine)

    def table(self, most: int | None = None) -> "Table":
        from surefoot.study.views.in_play import foremost, in_play
        from surefoot.study.views.table import table

        with self._replica.lock:
            engine = self._engine
            some = None if most is None or most >= len(self.problem.arms) else foremost(engine, in_play(engine), most)
            return table(self.problem, engine, some)

    def results(self) -> "Results":
        from surefoot.study.results import results

        return results(self.problem, self.history(), self._items)

    @property
    def contest(self) -> tuple[str | None, str | None]:
        from surefoot.study.views.in_play import contest

        with self._replica.lock:
            leader, challenger = (-1, -1) if self.decided or self._engine.arms_not_warm else contest(self._engine)
            names = self.problem.names
            return (names[leader] if leader >= 0 else None, names[challenger] if challenger >= 0 else None)

    @property
    def pulls_left(self) -> int | None:
        from surefoot.study.views.forecast import pulls_left

        with self._replica.lock:
            return pulls_left(self.problem, self._engine)

    def standing(self, arms: int | None = None) -> "StudyView":
        from surefoot.study.views.study_view import view_of

        return view_of(self, arms)

    @property
    def pulls(self) -> int:
        return self._engine.counted

    @property
    def spent(self) -> int:
        return self._engine.spent

    @property
    def aside(self) -> dict[str, str]:
        with self._replica.lock:
            return {self.problem.names[index]: why for index, why in self._engine.aside.items()}

    @property
    def pending(self) -> list[Pull]:
        with self._replica.lock:
            names, items = self.problem.names, self._items
            flying = self._engine.in_flight.items()
            return [Pull(pull, names[asked.arm], named(items, self._engine.item(asked))) for pull, asked in flying]

    @property
    def position(self) -> int:
        return self._replica.position

    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        return self._replica.journal.since(since, limit)

    def refresh(self) -> int:
        return self._replica.refresh()

    def __repr__(self) -> str:
        return f"<Study of {', '.join(self.problem.names[:5])}{' …' * (len(self.problem.names) > 5)}: {self.decision}>"

    @property
    def _items(self) -> Items | None:
        """With their names, which a journal does not hold of a long list: whoever opens the study gives them."""
        return self._given_items or self.problem.items

    @property
    def _engine(self) -> Engine:
        return self._replica.state.engine
