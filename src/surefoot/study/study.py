"""A study: a live problem. Thin over its journal, an append-only list of plain-data events (`StudyState` is their sum)."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from surefoot.errors import BadJournal, Conflict, label, whole
from surefoot.problem import Problem
from surefoot.problem.arms import Arms
from surefoot.problem.fields import Fields, Limits, Metrics, Rewards
from surefoot.problem.items import GivenItems, Items
from surefoot.problem.metrics import Result
from surefoot.problem.risks import Risk
from surefoot.storage import Event, Journal, Memory, Where, connect
from surefoot.study.any_study import AnyStudy, Recorded
from surefoot.study.creation import check_left_out, created, found_or_created
from surefoot.study.engine import Engine, Wanted
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull, asked_in, ended, known, named, number_of, pulls_of
from surefoot.study.replica import Replica
from surefoot.study.salvage import salvaged
from surefoot.study.telling import heartbeat, record, set_aside, tell

if TYPE_CHECKING:
    from surefoot.study.results import Results
    from surefoot.study.views.decision import Decision
    from surefoot.study.views.notices import Notice
    from surefoot.study.views.recommendation import Recommendation
    from surefoot.study.views.study_view import StudyView
    from surefoot.study.views.table import Table


class Study(AnyStudy):
    """A live problem: ask for pulls and tell their results, until there is a decision.

    :param arms: the names of the arms; or a problem.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: `(low, high)`, `"binary"`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`. Of several metrics: `"max mean(accuracy)"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
    :param failure: what a failed pull counts as: a number, or a number per metric. None: another pull takes its place.
    :param metrics: if a pull returns several numbers, what is known of each: `{"accuracy": (0, 1), "latency": "any"}`.
    :param limits: several limits, all of which must be kept: `["quantile(0.95, latency) <= 2", "mean(cost) <= 3"]`.
    :param baseline: the arm that limits such as `"mean(cost) <= 1.02 * baseline"` compare the others with.
    :param design: `"independent"`; `"items"`: all arms are tried on the same items; `"rounds"`: they are tried together.
    :param items: the items: their number, or a list of texts. None: an endless stream 0, 1, 2, …
    :param finite: is the question about exactly these items, each tried once by each arm? Else they are a sample.
    :param replacement: are items drawn with replacement? For expected results, where a second trial would differ.
    :param policy: the rule that chooses the arms to pull. None: the one that needs the fewest pulls.
    :param bounds: the family of confidence bounds. None: the one that needs the fewest pulls.
    :param seed: the seed of the random choices that a policy makes.
    :param lease: seconds within which a pull must be told; else another one takes its place. None: no such limit.

    What is left out, or None, is as in `Problem`; or as in the problem that is given for `arms`.

    >>> from surefoot import Study, Variance
    >>> study = Study(["A", "B", "C"], risk=Variance(at_most=0.04), rewards=(0, 1), delta=0.05)
    >>> while not study.decided:
    ...     for pull in study.ask():
    ...         study.tell(pull, {"A": 0.2, "B": 0.7, "C": 0.4}[pull.arm])
    >>> study.decision.arm
    'B'

    This study is in memory only; `Study.open` keeps one in a storage. Threads may share a study.
    """

    def __init__(
        self,
        arms: Arms | Problem,
        *,
        risk: Risk | str | None = None,
        rewards: Rewards | None = None,
        goal: str | None = None,
        delta: float | None = None,
        tolerance: float | None = None,
        risk_slack: float | None = None,
        max_pulls: int | None = None,
        failure: Result | None = None,
        metrics: Metrics | None = None,
        limits: Limits | None = None,
        baseline: str | None = None,
        design: str | None = None,
        items: GivenItems | None = None,
        finite: bool | None = None,
        replacement: bool | None = None,
        policy: str | None = None,
        bounds: str | None = None,
        seed: int = 0,
        lease: float | None = None,
    ) -> None:
        problem = Problem.of(
            arms,
            risk=risk,
            rewards=rewards,
            goal=goal,
            delta=delta,
            tolerance=tolerance,
            risk_slack=risk_slack,
            max_pulls=max_pulls,
            failure=failure,
            metrics=metrics,
            limits=limits,
            baseline=baseline,
            design=design,
            items=items,
            finite=finite,
            replacement=replacement,
        )
        storage = Memory()
        storage.create("", created(storage, problem, policy=policy, bounds=bounds, seed=seed, lease=lease))
        self._replica, self._given_items = Replica(storage.journal(""), snapshots=False), problem.items

    @classmethod
    def open(
        cls,
        storage: Where,
        name: str,
        arms: Arms | Problem | None = None,
        *,
        risk: Risk | str | None = None,
        rewards: Rewards | None = None,
        goal: str | None = None,
        delta: float | None = None,
        tolerance: float | None = None,
        risk_slack: float | None = None,
        max_pulls: int | None = None,
        failure: Result | None = None,
        metrics: Metrics | None = None,
        limits: Limits | None = None,
        baseline: str | None = None,
        design: str | None = None,
        items: GivenItems | None = None,
        finite: bool | None = None,
        replacement: bool | None = None,
        policy: str | None = None,
        bounds: str | None = None,
        seed: int = 0,
        lease: float | None = None,
    ) -> "Study":
        """Open the study of that name in a storage. If arms are given, create it first, unless it exists.

        Any number of processes may have it open. Each may give the arms and all other fields: the first one creates the
        study, and the others get a `Conflict` if what they give differs from it.

        :param storage: where the study is kept: a file, `sqlite:///file.db`, `postgresql://user@host/database`.
        :param name: the name of the study there.
        :param arms: the names of the arms; or a problem. None: the study exists.
        :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
        :param rewards: what every result is known to be: `(low, high)`, `"binary"`, `"gaussian"` or `SubGaussian(sigma)`.
        :param goal: `"max"`: the largest mean is the best; or `"min"`. Of several metrics: `"max mean(accuracy)"`.
        :param delta: the probability of a wrong decision that you accept.
        :param tolerance: the smallest difference of means that you care about.
        :param risk_slack: by how much the answer may exceed the limit.
        :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
        :param failure: what a failed pull counts as: a number, or a number per metric. None: another pull takes its place.
        :param metrics: if a pull returns several numbers, what is known of each: `{"accuracy": (0, 1), "latency": "any"}`.
        :param limits: several limits, all of which must be kept: `["quantile(0.95, latency) <= 2", "mean(cost) <= 3"]`.
        :param baseline: the arm that limits such as `"mean(cost) <= 1.02 * baseline"` compare the others with.
        :param design: `"independent"`; `"items"`: all arms are tried on the same items; `"rounds"`: they are tried together.
        :param items: the items: their number, or a list of texts. None: an endless stream 0, 1, 2, …
        :param finite: is the question about exactly these items, each tried once by each arm? Else they are a sample.
        :param replacement: are items drawn with replacement? For expected results, where a second trial would differ.
        :param policy: the rule that chooses the arms to pull. None: the one that needs the fewest pulls.
        :param bounds: the family of confidence bounds. None: the one that needs the fewest pulls.
        :param seed: the seed of the random choices that a policy makes.
        :param lease: seconds within which a pull must be told; else another one takes its place. None: no such limit.

        >>> from tempfile import mkdtemp
        >>> file = mkdtemp() + "/studies.db"
        >>> study = Study.open(file, "colours", ["red", "blue"], risk="variance <= 0.04", lease=600)
        >>> study.tell(study.ask()[0], 0.5)
        >>> Study.open(file, "colours").pulls
        1
        """
        label("the name of a study", name)
        fields: Fields = {
            "risk": risk,
            "rewards": rewards,
            "goal": goal,
            "delta": delta,
            "tolerance": tolerance,
            "risk_slack": risk_slack,
            "max_pulls": max_pulls,
            "failure": failure,
            "metrics": metrics,
            "limits": limits,
            "baseline": baseline,
            "design": design,
            "items": items,
            "finite": finite,
            "replacement": replacement,
        }
        storage = connect(storage)
        if arms is None:
            check_left_out(**fields, policy=policy, bounds=bounds, seed=seed or None, lease=lease)
            return cls._of(storage.journal(name), snapshots=True)
        problem = Problem.of(arms, **fields)
        wanted = found_or_created(storage, name, problem, policy=policy, bounds=bounds, seed=seed, lease=lease)
        study = cls._of(storage.journal(name), snapshots=True)
        study._replica.state.check_same(name, wanted)
        study._given_items = problem.items
        return study

    @classmethod
    def from_events(cls, events: Iterable[Mapping[str, Any]]) -> "Study":
        """Make a study in memory from the events of a journal. `BadJournal` says which event is not valid."""
        if not (events := [dict(event) for event in events]):
            raise BadJournal("a journal must begin with an event of type 'created', got no event")
        storage, (first, *others) = Memory(), events
        storage.create("", first)
        study = cls._of(storage.journal(""), snapshots=False)
        study._replica.write_again(others)
        return study

    @classmethod
    def salvage(cls, storage: Where, name: str, to: Where | None = None) -> "Study":
        """Rescue a study whose journal is damaged: what is before the damage, in memory or kept in `to`."""
        journal, events = salvaged(storage, name, to)
        study = cls._of(journal, snapshots=to is not None)
        study._replica.write_while_sound(events)
        return study

    @classmethod
    def check(cls, storage: Where, name: str) -> int:
        """Read every event of a journal, and return how many there are. `BadJournal` names the first damaged one."""
        return Replica(connect(storage).journal(name), snapshots=False).read_all()

    # --- what a worker does

    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        return self.exchange([], count, worker=worker, request=request)

    def tell_all(self, results: Iterable[tuple[Pull | int, Result | Failed]]) -> None:
        results = list(results)
        with self._replica.transaction() as transaction:
            tell(transaction, results)

    def exchange(
        self,
        results: Iterable[tuple[Pull | int, Result | Failed]],
        count: int | None = None,
        *,
        worker: str | None = None,
        request: str | None = None,
    ) -> list[Pull]:
        if count is not None:
            count = whole("count", count, at_least=1)
        marks = {} if worker is None else {"worker": label("worker", worker)}
        if request is not None:
            marks["request"] = label("request", request)
        results, items = list(results), self._items
        if items:
            items.check_named()
        with self._replica.transaction() as transaction:
            if results:
                tell(transaction, results)
            event = transaction.turn.of_request(request) if request is not None else None
            if event is None:
                event = transaction.happen("asked", pull=transaction.state.asked + 1, arms=Wanted(count), **marks)
        return pulls_of(event, transaction.state.problem.names, items)

    def together(self) -> AbstractContextManager[None]:
        """Write all that this thread's calls do inside `with` in one commit at its end; if that fails, none of it.

        >>> study = Study(["A", "B"])
        >>> with study.together():
        ...     for pull in study.ask(2):
        ...         study.tell(pull, 0.5)
        """
        return self._replica.together()

    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        pulls = list(pulls)
        with self._replica.transaction() as transaction:
            return heartbeat(transaction, pulls)

    def record_all(self, results: Iterable[Recorded]) -> None:
        results = list(results)
        with self._replica.transaction() as transaction:
            record(transaction, results)

    def abandon(self, pull: Pull | int) -> None:
        with self._replica.transaction() as transaction:
            identity, _, endings = known(pull, transaction.turn, transaction.state)
            if endings:
                raise Conflict(f"pull {identity} {ended(endings)} and cannot be abandoned")
            transaction.happen("abandoned", pull=identity)

    def set_aside(self, arm: str, why: str) -> None:
        label("why an arm is excluded", why)
        with self._replica.transaction() as transaction:
            set_aside(transaction, arm, why)

    def close(self) -> None:
        with self._replica.transaction() as transaction:
            if not transaction.state.engine.finished:
                transaction.happen("closed")

    # --- what people read: how things stood when this study was last called or refreshed. Who never reads loads none of it

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

    def worker_of(self, pull: Pull | int) -> str | None:
        with self._replica.transaction() as transaction:
            identity = number_of(pull, transaction.state)
            worker: str | None = asked_in(transaction.turn.of_pull(identity), identity).get("worker")
        return worker

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

    def __iter__(self) -> Iterator[Pull]:
        while not self.decided and (pulls := self.ask()):
            yield from pulls

    # --- the journal

    @classmethod
    def _of(cls, journal: Journal, snapshots: bool) -> "Study":
        study = cls.__new__(cls)
        study._replica, study._given_items = Replica(journal, snapshots), None
        return study

    @property
    def _items(self) -> Items | None:
        """With their names, which a journal does not hold of a long list: whoever opens the study gives them."""
        return self._given_items or self.problem.items

    @property
    def _engine(self) -> Engine:
        return self._replica.state.engine
