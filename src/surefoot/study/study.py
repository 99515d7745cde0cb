"""A study: a live problem. Thin over its journal, an append-only list of plain-data events (`StudyState` is their sum)."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from surefoot.errors import BadJournal, Conflict, label, whole
from surefoot.problem import Problem
from surefoot.problem.arms import Arms
from surefoot.problem.fields import Fields, Limits, Metrics, Rewards
from surefoot.problem.items import GivenItems
from surefoot.problem.metrics import Result
from surefoot.problem.risks import Risk
from surefoot.storage import Journal, Memory, Where, connect
from surefoot.study.any_study import Recorded
from surefoot.study.creation import check_left_out, created, found_or_created
from surefoot.study.engine import Wanted
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull, asked_in, ended, known, number_of, pulls_of
from surefoot.study.readable_study import ReadableStudy
from surefoot.study.replica import Replica
from surefoot.study.salvage import salvaged
from surefoot.study.telling import heartbeat, record, set_aside, tell


class Study(ReadableStudy):
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

    def worker_of(self, pull: Pull | int) -> str | None:
        with self._replica.transaction() as transaction:
            identity = number_of(pull, transaction.state)
            worker: str | None = asked_in(transaction.turn.of_pull(identity), identity).get("worker")
        return worker

    def __iter__(self) -> Iterator[Pull]:
        while not self.decided and (pulls := self.ask()):
            yield from pulls

    # --- the journal

    @classmethod
    def _of(cls, journal: Journal, snapshots: bool) -> "Study":
        study = cls.__new__(cls)
        study._replica, study._given_items = Replica(journal, snapshots), None
        return study
