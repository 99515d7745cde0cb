"""A study: a live problem. Thin over its journal, an append-only list of plain-data events, of which `Fold` is the sum."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from surefoot.errors import BadJournal, Conflict, NoSuchStudy, Unsupported, label, whole
from surefoot.problem import Problem
from surefoot.problem.arms import Arms
from surefoot.problem.fields import Fields, Rewards
from surefoot.problem.risks import Risk
from surefoot.storage import Event, Journal, Memory, Where, connect
from surefoot.study.any_study import AnyStudy
from surefoot.study.book import Book, sound_events
from surefoot.study.events import check_left_out, created
from surefoot.study.failed import Failed
from surefoot.study.live import Live, Wanted
from surefoot.study.notices import Notice, notices
from surefoot.study.outlook import pulls_left
from surefoot.study.pull import Pull, asked_in, is_new, known, number_of
from surefoot.study.reducer import begun
from surefoot.study.report import Decision, Table, contest, decision, foremost, in_play, table
from surefoot.study.results import Results, results
from surefoot.study.standing import Standing, standing


class Study(AnyStudy):
    """Ask for pulls, tell their results, until it is decided.

    :param arms: the names of the arms; or a problem.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: a range `(low, high)`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
    :param failure: what a pull that fails counts as. None: another pull takes its place.
    :param policy: what chooses the arms to pull. None: what needs the fewest pulls.
    :param bounds: the family of confidence bounds. None: what needs the fewest pulls.
    :param seed: of the choices that a policy makes at random.
    :param lease: seconds after which a pull that was not heard of is given up, and another one handed out. None: never.

    What is left out, or None, is as in `Problem`; or as in the problem that is given for `arms`.

    >>> from surefoot import Study, Variance
    >>> study = Study(["A", "B", "C"], risk=Variance(at_most=0.04), rewards=(0, 1), delta=0.05)
    >>> while not study.decided:
    ...     for pull in study.ask():
    ...         study.tell(pull, {"A": 0.2, "B": 0.7, "C": 0.4}[pull.arm])
    >>> study.decision.arm
    'B'

    This one lives in memory; `Study.open` gives one that is kept. Threads may share a study.
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
        failure: float | None = None,
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
        )
        storage = Memory()
        storage.create("", created(storage, problem, policy=policy, bounds=bounds, seed=seed, lease=lease))
        self._book = Book(storage.journal(""), snapshots=False)

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
        failure: float | None = None,
        policy: str | None = None,
        bounds: str | None = None,
        seed: int = 0,
        lease: float | None = None,
    ) -> "Study":
        """The study of that name in a storage; created first, if arms are given.

        Any number of processes may have it open. Each may give the arms and all other fields: whoever comes first creates
        the study, and the others find that it is the one they mean, or else a Conflict.

        :param storage: where it is kept: a file, `sqlite:///file.db`, `postgresql://user@host/database`.
        :param name: what it is called there.
        :param arms: the names of the arms; or a problem. None: the study is there already.
        :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
        :param rewards: what every result is known to be: a range `(low, high)`, `"gaussian"` or `SubGaussian(sigma)`.
        :param goal: `"max"`: the largest mean is the best; or `"min"`.
        :param delta: the probability of a wrong decision that you accept.
        :param tolerance: the smallest difference of means that you care about.
        :param risk_slack: by how much the answer may exceed the limit.
        :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
        :param failure: what a pull that fails counts as. None: another pull takes its place.
        :param policy: what chooses the arms to pull. None: what needs the fewest pulls.
        :param bounds: the family of confidence bounds. None: what needs the fewest pulls.
        :param seed: of the choices that a policy makes at random.
        :param lease: seconds after which a pull that was not heard of is given up, and another one handed out. None: never.

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
        }
        storage = connect(storage)
        if arms is None:
            check_left_out(**fields, policy=policy, bounds=bounds, seed=seed or None, lease=lease)
            return cls._of(storage.journal(name), snapshots=True)
        problem = Problem.of(arms, **fields)
        try:
            storage.journal(name)
            wanted = created(storage, problem, new=False, policy=policy, bounds=bounds, seed=seed, lease=lease)
        except NoSuchStudy:
            wanted = created(storage, problem, policy=policy, bounds=bounds, seed=seed, lease=lease)
            with suppress(Conflict):  # somebody has meanwhile; is it the same?
                storage.create(name, wanted)
        study = cls._of(storage.journal(name), snapshots=True)
        study._book.fold.check_same(name, wanted)
        return study

    @classmethod
    def from_events(cls, events: Iterable[Mapping[str, Any]]) -> "Study":
        """The study that a journal tells of, in memory; refused where the journal cannot be one."""
        if not (events := [dict(event) for event in events]):
            raise BadJournal("a journal must begin with an event of type 'created', got no event")
        storage, (first, *others) = Memory(), events
        storage.create("", first)
        study = cls._of(storage.journal(""), snapshots=False)
        study._book.write_again(others)
        return study

    @classmethod
    def salvage(cls, storage: Where, name: str, to: Where | None = None) -> "Study":
        """A study as far as its journal is sound, for when it cannot be opened any more: in memory, or kept in `to`."""
        events = sound_events(connect(storage).journal(name))
        first = next(events, None)
        if first is None:
            raise BadJournal(f"nothing of the study {name!r} can be read: event 1 of its journal is not sound")
        target, called = (Memory(), "") if to is None else (connect(to), name)
        begun(first)  # or else refused, before anything is written
        target.create(called, first)
        study = cls._of(target.journal(called), snapshots=to is not None)
        study._book.write_while_sound(events)
        return study

    @classmethod
    def check(cls, storage: Where, name: str) -> int:
        """How many events a study's journal has, each of them read; BadJournal names the first that is not sound."""
        return Book(connect(storage).journal(name), snapshots=False).read_all()

    # --- what a worker does

    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        if count is not None:
            count = whole("count", count, at_least=1)
        marks = {"worker": worker, "request": request}
        marks = {name: label(name, value) for name, value in marks.items() if value is not None}
        with self._book.transaction() as transaction:
            event = transaction.turn.of_request(request) if request is not None else None
            if event is None:
                event = transaction.happen("asked", pull=transaction.fold.asked + 1, arms=Wanted(count), **marks)
        names = self.problem.names
        return [Pull(pull, names[arm]) for pull, arm in enumerate(event["arms"], event["pull"])]

    def tell_all(self, results: Iterable[tuple[Pull | int, float | Failed]]) -> None:
        results = list(results)
        with self._book.transaction() as transaction:
            fold, fresh = transaction.fold, dict[int, Event]()
            for pull, result in results:
                identity, arm, endings = known(pull, transaction.turn, fold)
                outcome = fold.outcome(result, arm)
                if identity in fresh:
                    endings = [*endings, fresh[identity]]
                if is_new(identity, outcome, endings):
                    fresh[identity] = outcome
            for identity, outcome in fresh.items():
                late = {} if fold.counts(identity) else {"late": True}
                transaction.happen(outcome.pop("type"), pull=identity, **outcome, **late)

    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        pulls = list(pulls)
        with self._book.transaction() as transaction:
            fold = transaction.fold
            identities = [known(pull, transaction.turn, fold)[0] for pull in pulls]
            counting = [fold.counts(identity) for identity in identities]
            for identity, counts in zip(identities, counting, strict=True):
                if counts and fold.lease is not None:
                    transaction.happen("extended", pull=identity)
        return counting

    def record_all(self, rewards: Iterable[tuple[str, float]]) -> None:
        rewards = list(rewards)
        with self._book.transaction() as transaction:
            fold = transaction.fold
            if fold.live.one_at_a_time:
                raise Unsupported(
                    "this policy decides by the pull it asked for last: it takes no rewards it did not ask for"
                )
            checked = [(index := fold.arm(arm), fold.reward(reward, index)) for arm, reward in rewards]
            for index, reward in checked:
                late = {"late": True} if fold.live.finished else {}
                transaction.happen("recorded", arm=index, reward=reward, **late)

    def abandon(self, pull: Pull | int) -> None:
        with self._book.transaction() as transaction:
            identity, _, endings = known(pull, transaction.turn, transaction.fold)
            if endings:
                raise Conflict(f"pull {identity} was {endings[-1]['type']} before and cannot be abandoned")
            transaction.happen("abandoned", pull=identity)

    def set_aside(self, arm: str, why: str) -> None:
        """Exclude an arm that cannot be measured: the decision is about the others, and says so.

        Its pulls in flight are abandoned. Each arm excluded after it gave rewards adds delta to the probability of a wrong
        decision, or delta / 2 with bounds that do not compare arms in pairs; one that never gave any adds nothing
        (docs/bounds.md, docs/tight.md).
        """
        label("why an arm is excluded", why)
        with self._book.transaction() as transaction:
            live, index = transaction.fold.live, transaction.fold.arm(arm)
            if live.one_at_a_time:
                raise Unsupported("this policy judges the arm pulled last: it cannot go on without one")
            if live.finished or index in live.aside:
                return
            for pull in [pull for pull, asked in live.open.items() if asked.arm == index]:
                transaction.happen("abandoned", pull=pull)
            if not live.finished:
                transaction.happen("set_aside", arm=index, why=why)

    def close(self) -> None:
        with self._book.transaction() as transaction:
            if not transaction.fold.live.finished:
                transaction.happen("closed")

    # --- what people read: how things stood when this study was last called or refreshed

    @property
    def problem(self) -> Problem:
        return self._book.fold.problem

    @property
    def decided(self) -> bool:
        return self._live.finished

    @property
    def decision(self) -> Decision:
        with self._book.lock:
            return decision(self.problem, self._live, self.warnings, self._shown)

    @property
    def warnings(self) -> list[Notice]:
        with self._book.lock:
            return notices(self.problem, self._live)

    def table(self, most: int | None = None) -> Table:
        with self._book.lock:
            live = self._live
            some = None if most is None or most >= len(self.problem.arms) else foremost(live, in_play(live), most)
            return table(self.problem, live, some)

    def results(self) -> Results:
        return results(self.problem.names, self.history())

    @property
    def contest(self) -> tuple[str | None, str | None]:
        """The leader and its challenger, as far as there are any."""
        with self._book.lock:
            leader, challenger = (-1, -1) if self.decided or self._live.cold else contest(self._live)
            names = self.problem.names
            return (names[leader] if leader >= 0 else None, names[challenger] if challenger >= 0 else None)

    @property
    def pulls_left(self) -> int | None:
        with self._book.lock:
            return pulls_left(self.problem, self._live)

    def standing(self, arms: int | None = None) -> Standing:
        """All of this and more at one moment, up to date, with overdue pulls expired; with rows for so many arms."""
        return standing(self, arms)

    @property
    def pulls(self) -> int:
        return self._live.counted

    @property
    def spent(self) -> int:
        """Pulls handed out or recorded, less those given up: what a budget counts."""
        return self._live.spent

    @property
    def aside(self) -> dict[str, str]:
        with self._book.lock:
            return {self.problem.names[index]: why for index, why in self._live.aside.items()}

    def worker_of(self, pull: Pull | int) -> str | None:
        """Who asked for a pull, if they said so."""
        with self._book.transaction() as transaction:
            identity = number_of(pull, transaction.fold)
            found: str | None = asked_in(transaction.turn.of_pull(identity), identity).get("worker")
        return found

    @property
    def pending(self) -> list[Pull]:
        """Pulls in flight."""
        with self._book.lock:
            return [Pull(pull, self.problem.names[asked.arm]) for pull, asked in self._live.open.items()]

    @property
    def position(self) -> int:
        return self._book.position

    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        return self._book.journal.since(since, limit)

    def refresh(self) -> int:
        return self._book.refresh()

    def __repr__(self) -> str:
        return f"<Study of {', '.join(self.problem.names[:5])}{' …' * (len(self.problem.names) > 5)}: {self.decision}>"

    def __iter__(self) -> Iterator[Pull]:
        while not self.decided and (pulls := self.ask()):
            yield from pulls

    # --- the journal

    @classmethod
    def _of(cls, journal: Journal, snapshots: bool) -> "Study":
        study = cls.__new__(cls)
        study._book = Book(journal, snapshots)
        return study

    @property
    def _live(self) -> Live:
        return self._book.fold.live
