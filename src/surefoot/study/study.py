"""A study: a live problem. Thin over its journal, an append-only list of plain-data events, of which `Fold` is the sum."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from os import PathLike
from typing import Any

from surefoot.errors import BadJournal, Conflict, InvalidValue, NoSuchStudy, Unsupported, label, whole
from surefoot.problem import Problem
from surefoot.storage import Event, Journal, Memory, Storage, connect
from surefoot.study.book import Book, sound_events
from surefoot.study.events import created
from surefoot.study.failed import Failed
from surefoot.study.live import Live, Wanted
from surefoot.study.notices import Notice, notices
from surefoot.study.outlook import pulls_left
from surefoot.study.pull import Pull, asked_in, is_new, known, number_of
from surefoot.study.reducer import begun
from surefoot.study.report import Decision, Table, contest, decision, foremost, in_play, table
from surefoot.study.standing import Standing, standing


class Study:
    """Ask for pulls, tell their rewards, until it is decided.

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
        arms: Iterable[str] | Problem,
        *,
        policy: str | None = None,
        bounds: str | None = None,
        seed: int = 0,
        lease: float | None = None,
        **fields: Any,
    ) -> None:
        storage = Memory()
        storage.create("", created(storage, arms, policy=policy, bounds=bounds, seed=seed, lease=lease, **fields))
        self._book = Book(storage.journal(""), snapshots=False)

    @classmethod
    def open(
        cls,
        storage: str | PathLike[str] | Storage,
        name: str,
        arms: Iterable[str] | Problem | None = None,
        **fields: Any,
    ) -> "Study":
        """The study of that name in a storage: a file, sqlite:///file.db, postgresql://…; created first, if arms are given.

        Any number of processes may have it open. Each may give the arms and all other fields: whoever comes first creates
        the study, and the others find that it is the one they mean, or else a Conflict.

        >>> from tempfile import mkdtemp
        >>> file = mkdtemp() + "/studies.db"
        >>> study = Study.open(file, "colours", ["red", "blue"], risk="variance <= 0.04", lease=600)
        >>> study.tell(study.ask()[0], 0.5)
        >>> Study.open(file, "colours").pulls
        1
        """
        label("the name of a study", name)
        if arms is None and fields:
            raise InvalidValue(
                f"a study is created by its arms and opened by its name alone, got {sorted(fields)[0]} too"
            )
        storage = connect(storage)
        if arms is None:
            return cls._of(storage.journal(name), snapshots=True)
        try:
            storage.journal(name)
            wanted = created(storage, arms, new=False, **fields)
        except NoSuchStudy:
            wanted = created(storage, arms, **fields)
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
    def salvage(
        cls,
        storage: str | PathLike[str] | Storage,
        name: str,
        to: str | PathLike[str] | Storage | None = None,
    ) -> "Study":
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
    def check(cls, storage: str | PathLike[str] | Storage, name: str) -> int:
        """How many events a study's journal has, each of them read; BadJournal names the first that is not sound."""
        return Book(connect(storage).journal(name), snapshots=False).read_all()

    # --- what a worker does

    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        """The pulls of the next step; or `count` pulls for parallel workers. None once the study is decided or spent.

        `worker` is noted beside them. A `request` that is asked again, for fear that it was not heard, has the same answer.
        """
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

    def tell(self, pull: Pull | int, reward: float) -> None:
        """The reward of a pull. The same pull may be told again with the same reward."""
        self.tell_all([(pull, reward)])

    def fail(self, pull: Pull | int, why: str) -> None:
        """Say that a pull brought no result: a command that crashed, a measurement that took too long.

        If the problem says what a `failure` counts as, that is the pull's result, at once. If not, a fresh pull of the same
        arm takes its place; failures are counted, and the decision names them, because it then rests on the assumption that
        failing has nothing to do with what the result would have been.
        """
        self.tell_all([(pull, Failed(why))])

    def tell_all(self, results: Iterable[tuple[Pull | int, float | Failed]]) -> None:
        """Several results, taken all or none."""
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

    def heartbeat(self, pull: Pull | int) -> bool:
        """Word that a pull is still being made, which begins its lease anew; whether its reward would still count."""
        return self.heartbeat_all([pull])[0]

    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        """Word of several pulls."""
        pulls = list(pulls)
        with self._book.transaction() as transaction:
            fold = transaction.fold
            identities = [known(pull, transaction.turn, fold)[0] for pull in pulls]
            counting = [fold.counts(identity) for identity in identities]
            for identity, counts in zip(identities, counting, strict=True):
                if counts and fold.lease is not None:
                    transaction.happen("extended", pull=identity)
        return counting

    def record(self, arm: str, reward: float) -> None:
        """A reward that was not asked for, such as one from a log; in the order given."""
        self.record_all([(arm, reward)])

    def record_all(self, rewards: Iterable[tuple[str, float]]) -> None:
        """Several rewards that were not asked for, taken all or none."""
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
        """Give a pull up: its reward will not come. Sound if that has nothing to do with what the reward would be."""
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
        """No more pulls; if nothing is decided by now, the decision is that it is undecided."""
        with self._book.transaction() as transaction:
            if not transaction.fold.live.finished:
                transaction.happen("closed")

    # --- what people read: how things stood when this study was last called or refreshed

    @property
    def problem(self) -> Problem:
        return self._book.fold.problem

    @property
    def decided(self) -> bool:
        """Is there a decision? It may be `undecided`, when the budget is spent or the study was closed."""
        return self._live.finished

    @property
    def decision(self) -> Decision:
        """The decision, or how things stand; prints as a sentence."""
        with self._book.lock:
            return decision(self.problem, self._live, self.warnings, self._shown)

    @property
    def warnings(self) -> list[Notice]:
        """What speaks against an assumption of the guarantee, such as a drift; each prints as a sentence."""
        with self._book.lock:
            return notices(self.problem, self._live)

    def table(self, most: int | None = None) -> Table:
        """One row per arm, with bounds and verdict; or for so many arms at most, those that matter."""
        with self._book.lock:
            live = self._live
            some = None if most is None or most >= len(self.problem.arms) else foremost(live, in_play(live), most)
            return table(self.problem, live, some)

    @property
    def contest(self) -> tuple[str | None, str | None]:
        """The leader and its challenger, as far as there are any."""
        with self._book.lock:
            leader, challenger = (-1, -1) if self.decided or self._live.cold else contest(self._live)
            names = self.problem.names
            return (names[leader] if leader >= 0 else None, names[challenger] if challenger >= 0 else None)

    @property
    def pulls_left(self) -> int | None:
        """About how many pulls a decision takes from here; None if nothing can be said yet."""
        with self._book.lock:
            return pulls_left(self.problem, self._live)

    def standing(self, arms: int | None = None) -> Standing:
        """All of this and more at one moment, up to date, with overdue pulls expired; with rows for so many arms."""
        return standing(self, arms)

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean-risk plane into a matplotlib axes (one of a new figure by default) and return it."""
        from surefoot.study.plot import plot

        return plot(self, ax)

    @property
    def pulls(self) -> int:
        """Rewards that count."""
        return self._live.counted

    @property
    def spent(self) -> int:
        """Pulls handed out or recorded, less those given up: what a budget counts."""
        return self._live.spent

    @property
    def aside(self) -> dict[str, str]:
        """The arms that were excluded, and why."""
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
        """How many events of the journal are in what is read here."""
        return self._book.position

    @property
    def events(self) -> list[Event]:
        """The whole journal."""
        return list(self.history())

    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        """The journal's events after the first `since` ones, those that others wrote included."""
        return self._book.journal.since(since, limit)

    def refresh(self) -> int:
        """Take in what others have written; how many events that was."""
        return self._book.refresh()

    def __repr__(self) -> str:
        return f"<Study of {', '.join(self.problem.names[:5])}{' …' * (len(self.problem.names) > 5)}: {self.decision}>"

    def _repr_html_(self) -> str:
        return self._shown(self.decision)

    def _shown(self, decision: Decision) -> str:
        from surefoot.study.html import page

        return page(self, decision)

    def __iter__(self) -> Iterator[Pull]:
        """Every pull to make, one at a time, until the study is decided."""
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
