"""What a study has wherever it is: here (`Study`), or served elsewhere (`ServedStudy`)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from surefoot.problem import Problem
from surefoot.problem.metrics import Result
from surefoot.storage import Event
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull
from surefoot.study.results import Results
from surefoot.study.views.decision import Decision
from surefoot.study.views.notices import Notice
from surefoot.study.views.recommendation import Recommendation
from surefoot.study.views.study_view import StudyView
from surefoot.study.views.table import Table


class AnyStudy(ABC):
    """Ask for pulls, tell their results, read the decision."""

    # --- what a worker does

    @abstractmethod
    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        """The pulls of the next step; or `count` pulls for parallel workers. None once the study is decided or spent.

        :param count: how many pulls; None: those of the next step.
        :param worker: who asks: it is noted beside the pulls.
        :param request: a request that is asked again, for fear that it was not heard, has the same answer.
        """

    def tell(self, pull: Pull | int, result: Result) -> None:
        """The result of a pull: a number, or a number per metric. The same pull may be told again with the same result."""
        self.tell_all([(pull, result)])

    def fail(self, pull: Pull | int, why: str) -> None:
        """Say that a pull brought no result: a command that crashed, a measurement that took too long.

        If the problem says what a `failure` counts as, that is the pull's result, at once. If not, a fresh pull of the same
        arm takes its place; failures are counted, and the decision names them, because it then rests on the assumption that
        failing has nothing to do with what the result would have been.
        """
        self.tell_all([(pull, Failed(why))])

    @abstractmethod
    def tell_all(self, results: Iterable[tuple[Pull | int, Result | Failed]]) -> None:
        """Several results, taken all or none."""

    @abstractmethod
    def exchange(
        self,
        results: Iterable[tuple[Pull | int, Result | Failed]],
        count: int | None = None,
        *,
        worker: str | None = None,
        request: str | None = None,
    ) -> list[Pull]:
        """Tell results, then ask for the next pulls, in one call: all of it is done or none.

        The parameters are those of `tell_all` and of `ask`. A request that is made again has the same answer, and its
        results count once.
        """

    def record(self, arm: str, result: Result) -> None:
        """A result that was not asked for, such as one from a log; in the order given."""
        self.record_all([(arm, result)])

    @abstractmethod
    def record_all(self, results: Iterable[tuple[str, Result]]) -> None:
        """Several results that were not asked for, taken all or none."""

    def heartbeat(self, pull: Pull | int) -> bool:
        """Word that a pull is still being made, which begins its lease anew; whether its result would still count."""
        return self.heartbeat_all([pull])[0]

    @abstractmethod
    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        """Word of several pulls."""

    @abstractmethod
    def abandon(self, pull: Pull | int) -> None:
        """Give a pull up: its result will not come. Sound if that has nothing to do with what the result would be."""

    @abstractmethod
    def set_aside(self, arm: str, why: str) -> None:
        """Exclude an arm that cannot be measured: the decision is about the others, and says so.

        Its pulls in flight are abandoned. Each arm excluded after it gave rewards adds delta to the probability of a wrong
        decision, or delta / 2 with bounds that do not compare arms in pairs; one that never gave any adds nothing
        (docs/bounds.md, docs/tight.md).
        """

    @abstractmethod
    def close(self) -> None:
        """No more pulls; if nothing is decided by now, the decision is that it is undecided."""

    @abstractmethod
    def __iter__(self) -> Iterator[Pull]:
        """Every pull to make, one at a time, until the study is decided."""

    # --- what people read

    @property
    @abstractmethod
    def problem(self) -> Problem:
        """What is asked."""

    @property
    @abstractmethod
    def decided(self) -> bool:
        """Is there a decision? It may be `undecided`, when the budget is spent or the study was closed."""

    @property
    @abstractmethod
    def decision(self) -> Decision:
        """The decision, or how things stand; prints as a sentence."""

    @property
    @abstractmethod
    def recommendation(self) -> Recommendation:
        """The answer one would give now, with the confidence it has; prints as a sentence (docs/recommendation.md)."""

    @property
    @abstractmethod
    def warnings(self) -> list[Notice]:
        """What speaks against an assumption of the guarantee, such as a drift; each prints as a sentence."""

    @property
    @abstractmethod
    def pulls(self) -> int:
        """How many results count."""

    @property
    @abstractmethod
    def spent(self) -> int:
        """Pulls handed out or recorded, less those given up: what `max_pulls` counts."""

    @property
    @abstractmethod
    def pending(self) -> list[Pull]:
        """Pulls in flight."""

    @abstractmethod
    def worker_of(self, pull: Pull | int) -> str | None:
        """Who asked for a pull, if they said so."""

    @property
    @abstractmethod
    def contest(self) -> tuple[str | None, str | None]:
        """The leader and its challenger, as far as there are any."""

    @property
    @abstractmethod
    def pulls_left(self) -> int | None:
        """About how many pulls a decision takes from here; None if nothing can be said yet."""

    @property
    @abstractmethod
    def aside(self) -> dict[str, str]:
        """The arms that were excluded, and why."""

    @property
    @abstractmethod
    def position(self) -> int:
        """How many events of the journal are in what is read here."""

    @abstractmethod
    def standing(self, arms: int | None = None) -> StudyView:
        """All of this and more at one moment, up to date, with overdue pulls expired; with rows for so many arms."""

    @abstractmethod
    def table(self, most: int | None = None) -> Table:
        """One row per arm, with bounds and verdict.

        :param most: for so many arms at most, those that matter; None: for all.
        """

    @abstractmethod
    def results(self) -> Results:
        """One row per result, in the order in which the pulls were asked for."""

    @abstractmethod
    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        """The journal's events, those that others wrote included.

        :param since: begin after so many events.
        :param limit: so many events at most; None: all.
        """

    @property
    def events(self) -> list[Event]:
        """The whole journal."""
        return list(self.history())

    @abstractmethod
    def refresh(self) -> int:
        """Take in what others have written; how many events that was."""

    def plot(self, ax: Any = None, *, x: str | int | None = None, y: str | int | None = None) -> Any:
        """Draw the arms by two of their numbers.

        :param ax: the matplotlib axes to draw into, which is returned; None: those of a new figure.
        :param x: what is across: a limit as it is written, or its number from 0, or "goal". None: the limit that the leader
            is nearest to breaking.
        :param y: what is up, likewise. None: the goal.
        """
        from surefoot.study.views.plot import plot

        return plot(self, ax, x, y)

    def _repr_html_(self) -> str:
        return self.decision._repr_html_()
