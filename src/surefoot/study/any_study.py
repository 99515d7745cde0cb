"""What a study has wherever it is: here (`Study`), or served elsewhere (`ServedStudy`)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from surefoot.problem import Problem
from surefoot.problem.metrics import Result
from surefoot.storage import Event
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull

if TYPE_CHECKING:
    from surefoot.study.results import Results
    from surefoot.study.views.decision import Decision
    from surefoot.study.views.notices import Notice
    from surefoot.study.views.recommendation import Recommendation
    from surefoot.study.views.study_view import StudyView
    from surefoot.study.views.table import Table

# A result that was not asked for: its arm, what came, and the item if there are items.
Recorded: TypeAlias = tuple[str, Result] | tuple[str, Result, str | int]


class AnyStudy(ABC):
    """Ask for pulls, tell their results, read the decision."""

    # --- what a worker does

    @abstractmethod
    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        """Get the pulls to make next. The list is empty once the study is decided or its budget is spent.

        :param count: how many pulls, for parallel workers. None: those of the policy's next step.
        :param worker: the name of the worker that asks; the journal keeps it.
        :param request: an id of your choice: if you ask again with the same id, you get the same pulls.
        """

    def tell(self, pull: Pull | int, result: Result) -> None:
        """Give the result of a pull: a number, or a number per metric. If you tell the same result again, it counts once."""
        self.tell_all([(pull, result)])

    def fail(self, pull: Pull | int, why: str) -> None:
        """Say that a pull gave no result: a command crashed, or a measurement took too long.

        If the problem says what a `failure` counts as, that is the result of the pull. If not, another pull of the same arm
        takes its place, and the decision says how many pulls failed: it then assumes that failing has nothing to do with
        what the result would have been.
        """
        self.tell_all([(pull, Failed(why))])

    @abstractmethod
    def tell_all(self, results: Iterable[tuple[Pull | int, Result | Failed]]) -> None:
        """Give several results: all are taken, or none."""

    @abstractmethod
    def exchange(
        self,
        results: Iterable[tuple[Pull | int, Result | Failed]],
        count: int | None = None,
        *,
        worker: str | None = None,
        request: str | None = None,
    ) -> list[Pull]:
        """Tell results, then ask for the next pulls, in one call: both are done, or neither.

        The parameters are those of `tell_all` and of `ask`. If you call again with the same request id, you get the same
        pulls, and the results count once.
        """

    def record(self, arm: str, result: Result, item: str | int | None = None) -> None:
        """Add a result that was not asked for, such as one from a log. Results count in the order in which you add them.

        :param item: what the arm was tried on, where all arms are tried on the same items: it must be the arm's next one.
        """
        self.record_all([(arm, result) if item is None else (arm, result, item)])

    @abstractmethod
    def record_all(self, results: Iterable[Recorded]) -> None:
        """Add several results that were not asked for: all are taken, or none."""

    def heartbeat(self, pull: Pull | int) -> bool:
        """Say that a pull is still being made, so that its lease begins anew. Returns whether its result will count."""
        return self.heartbeat_all([pull])[0]

    @abstractmethod
    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        """Say that several pulls are still being made. Returns for each whether its result would still count."""

    @abstractmethod
    def abandon(self, pull: Pull | int) -> None:
        """Give a pull up. This is safe if the reason has nothing to do with what its result would have been."""

    @abstractmethod
    def set_aside(self, arm: str, why: str) -> None:
        """Exclude an arm that cannot be measured: the decision is about the others, and says so.

        Its pulls in flight are abandoned. An arm that has given results adds delta to the probability of a wrong decision
        (delta / 2 with bounds that do not compare arms in pairs); an arm that has given none adds nothing (docs/bounds.md,
        docs/tight.md).
        """

    @abstractmethod
    def close(self) -> None:
        """End the study: there are no more pulls. If there is no decision yet, it ends `undecided`."""

    @abstractmethod
    def __iter__(self) -> Iterator[Pull]:
        """Every pull to make, one at a time, until the study is decided."""

    # --- what people read

    @property
    @abstractmethod
    def problem(self) -> Problem:
        """The problem: arms, goal, limit, delta and all else that was asked."""

    @property
    @abstractmethod
    def decided(self) -> bool:
        """Has the study ended? Its decision is `undecided` if the budget was spent or the study was closed before."""

    @property
    @abstractmethod
    def decision(self) -> "Decision":
        """The decision; until there is one, how far the study is. It prints as a sentence."""

    @property
    @abstractmethod
    def recommendation(self) -> "Recommendation":
        """The answer that one would give now, with its confidence (docs/recommendation.md). It prints as a sentence."""

    @property
    @abstractmethod
    def warnings(self) -> "list[Notice]":
        """What contradicts an assumption of the guarantee, such as a drift. Each warning prints as a sentence."""

    @property
    @abstractmethod
    def pulls(self) -> int:
        """The number of results that count."""

    @property
    @abstractmethod
    def spent(self) -> int:
        """The number that `max_pulls` limits: pulls handed out or recorded, without those given up."""

    @property
    @abstractmethod
    def pending(self) -> list[Pull]:
        """The pulls in flight: asked for, and not told yet."""

    @abstractmethod
    def worker_of(self, pull: Pull | int) -> str | None:
        """The worker that asked for a pull; None if it gave no name."""

    @property
    @abstractmethod
    def contest(self) -> tuple[str | None, str | None]:
        """The names of the leader and its challenger; None where there is none."""

    @property
    @abstractmethod
    def pulls_left(self) -> int | None:
        """About how many more pulls a decision takes; None if nothing can be said yet."""

    @property
    @abstractmethod
    def aside(self) -> dict[str, str]:
        """The arms that were excluded, and why."""

    @property
    @abstractmethod
    def position(self) -> int:
        """The number of the last event of the journal that this study has read."""

    @abstractmethod
    def standing(self, arms: int | None = None) -> "StudyView":
        """All that a study shows, at one moment: with what others wrote, late pulls expired, and rows for so many arms."""

    @abstractmethod
    def table(self, most: int | None = None) -> "Table":
        """One row per arm, with bounds and verdict.

        :param most: how many arms at most: those that matter most are shown. None: all.
        """

    @abstractmethod
    def results(self) -> "Results":
        """One row per result, in the order in which the pulls were asked for."""

    @abstractmethod
    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        """The events of the journal, also those that others wrote.

        :param since: leave out so many events at the beginning.
        :param limit: how many events at most. None: all.
        """

    @property
    def events(self) -> list[Event]:
        """The whole journal."""
        return list(self.history())

    @abstractmethod
    def refresh(self) -> int:
        """Read what others have written. Returns the number of new events."""

    def plot(self, ax: Any = None, *, x: str | int | None = None, y: str | int | None = None) -> Any:
        """Draw each arm by two of its numbers, and return the matplotlib axes.

        :param ax: the axes to draw into. None: those of a new figure.
        :param x: what the horizontal axis shows: a limit as it is written, its number from 0, or "goal". None: the limit
            that the leader is nearest to breaking.
        :param y: what the vertical axis shows, in the same way. None: the goal.
        """
        from surefoot.study.views.plot import plot

        return plot(self, ax, x, y)

    def _repr_html_(self) -> str:
        return self.decision._repr_html_()
