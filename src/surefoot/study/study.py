"""A study: a live problem. Thin over its journal, an append-only list of plain-data events that `Live` folds."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.errors import Conflict, InvalidValue, SurefootError, number, whole
from surefoot.problem import Problem
from surefoot.rewards.models import Bounded
from surefoot.study.live import Live
from surefoot.study.report import Decision, Table, decision, table

VERSION = 1  # of the events


class Pull(NamedTuple):
    """One trial of one arm, to be told by its number."""

    id: int
    arm: str


class Study:
    """Ask for pulls, tell their rewards, until it is decided.

    >>> from surefoot import Study, Variance
    >>> study = Study(["A", "B", "C"], risk=Variance(at_most=0.04), rewards=(0, 1), delta=0.05)
    >>> while not study.decided:
    ...     for pull in study.ask():
    ...         study.tell(pull, {"A": 0.2, "B": 0.7, "C": 0.4}[pull.arm])
    >>> study.decision.arm
    'B'
    """

    def __init__(
        self,
        arms: Iterable[str] | Problem,
        *,
        policy: str = "va-lucb",
        bounds: str = "sharp",
        seed: int = 0,
        **fields: Any,
    ) -> None:
        problem = arms if isinstance(arms, Problem) else Problem(arms=arms, **fields)  # type: ignore[arg-type]
        self.events: list[dict[str, Any]] = []
        self._emit(
            {
                "version": VERSION,
                "type": "created",
                "problem": problem.dumps(),
                "policy": policy,
                "bounds": bounds,
                "seed": whole("seed", seed, at_least=0),
            },
            problem=problem,
        )

    @classmethod
    def from_events(cls, events: Iterable[Mapping[str, Any]]) -> "Study":
        """The study that a journal tells of."""
        study = cls.__new__(cls)
        study.events = []
        for event in events:
            if event["type"] != "decided":  # it follows from the others
                study._emit(dict(event))
        return study

    # --- what a worker does

    def ask(self, count: int | None = None) -> list[Pull]:
        """The pulls of the next step; or `count` pulls for parallel workers. None once the study is decided or spent."""
        if count is not None:
            whole("count", count, at_least=1)
        if self.decided:
            return []
        first = len(self._rewards) + 1
        arms = self._live.ask(count, first)
        if arms:
            self._note({"type": "asked", "first": first, "arms": arms})
        return [Pull(first + position, self.problem.names[arm]) for position, arm in enumerate(arms)]

    def tell(self, pull: Pull | int, reward: float) -> None:
        """The reward of a pull. The same pull may be told again with the same reward."""
        self.tell_all([(pull, reward)])

    def tell_all(self, results: Iterable[tuple[Pull | int, float]]) -> None:
        """Several rewards, taken all or none."""
        fresh: dict[int, float] = {}
        for pull, reward in results:
            identity = self._known(pull)
            value = self._checked(reward, self.problem.names[self._arms[identity - 1]])
            before = fresh.get(identity, self._rewards[identity - 1])
            if before == "abandoned":
                raise Conflict(f"pull {identity} was abandoned and cannot be told any more")
            if before is None:
                fresh[identity] = value
            elif before != value:
                raise Conflict(f"pull {identity} was told as {before!r} and cannot be told as {value!r}")
        if fresh:
            self._emit({"type": "told", "results": [list(result) for result in fresh.items()], "late": self.decided})

    def record(self, arm: str, reward: float) -> None:
        """A reward that was not asked for, such as one from a log; in the order given."""
        if arm not in self._index:
            raise InvalidValue(f"arm must be one of {some(self.problem.names)}, got {arm!r}")
        value = self._checked(reward, arm)
        self._emit({"type": "recorded", "arm": self._index[arm], "reward": value, "late": self.decided})

    def abandon(self, pull: Pull | int) -> None:
        """Give a pull up: its reward will not come. Sound if that has nothing to do with what the reward would be."""
        identity = self._known(pull)
        if self._rewards[identity - 1] is not None:
            raise Conflict(f"pull {identity} was told or abandoned before and cannot be abandoned")
        self._emit({"type": "abandoned", "pull": identity})

    def close(self) -> None:
        """No more pulls; if nothing is decided by now, the decision is that it is undecided."""
        if not self.decided:
            self._emit({"type": "closed"})

    # --- what people read

    @property
    def decided(self) -> bool:
        """Is there a decision? It may be `undecided`, when the budget is spent or the study was closed."""
        return self._live.finished

    @property
    def decision(self) -> Decision:
        """The decision, or how things stand; prints as a sentence."""
        return decision(self.problem, self._live)

    def table(self) -> Table:
        """One row per arm, with bounds and verdict."""
        return table(self.problem, self._live)

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean-risk plane into a matplotlib axes (the current one by default) and return it."""
        from surefoot.study.plot import plot

        return plot(self, ax)

    @property
    def pulls(self) -> int:
        """Rewards that count."""
        return self._live.counted

    @property
    def pending(self) -> list[Pull]:
        """Pulls in the air."""
        return [Pull(number, self.problem.names[asked.arm]) for number, asked in self._live.open.items()]

    def __repr__(self) -> str:
        return f"<Study of {len(self.problem.arms)} arms, {self.pulls} pulls: {self.decision}>"

    def _repr_html_(self) -> str:
        from surefoot.study.html import page

        return page(self)

    # --- the journal

    def _note(self, event: dict[str, Any]) -> None:
        """Append an event that has happened."""
        self.events.append(event)
        if event["type"] == "asked":
            self._arms.extend(event["arms"])
            self._rewards.extend([None] * len(event["arms"]))

    def _emit(self, event: dict[str, Any], problem: Problem | None = None) -> None:
        """Append an event and let it take effect."""
        undecided = not (self.events and self.decided)
        self._apply(event, problem)
        if event["type"] != "asked":
            self.events.append(event)
        if self.decided and undecided:
            status = self.decision.status
            self.events.append({"type": "decided", "status": status, "arm": self._live.best, "pulls": self.pulls})

    def _apply(self, event: dict[str, Any], problem: Problem | None) -> None:
        match event["type"]:
            case "created":
                if event["version"] != VERSION:
                    raise SurefootError(f"the journal's version must be {VERSION}, got {event['version']!r}")
                self.problem = problem or Problem.loads(event["problem"])
                self._index = {name: index for index, name in enumerate(self.problem.names)}
                self._arms: list[int] = []  # of each pull, by its number less one
                self._rewards: list[float | str | None] = []
                self._live = Live(self.problem, event["policy"], event["bounds"], event["seed"])
            case "asked":
                if self._live.ask(len(event["arms"]), event["first"]) != event["arms"]:
                    raise SurefootError("the journal asks for other pulls than this version of Surefoot would")
                self._note(event)
            case "told":
                for number_, reward in event["results"]:
                    self._rewards[number_ - 1] = reward
                    if self._live.finished:
                        self._live.open.pop(number_, None)
                    else:
                        self._live.tell(number_, self.problem.scale.inward(reward))
            case "recorded":
                if not self._live.finished:
                    self._live.record(event["arm"], self.problem.scale.inward(event["reward"]))
            case "abandoned":
                self._rewards[event["pull"] - 1] = "abandoned"
                if self._live.finished:
                    self._live.open.pop(event["pull"], None)
                else:
                    self._live.abandon(event["pull"])
            case "closed":
                self._live.finish(verdicts.UNDECIDED, -1)
            case unknown:
                raise SurefootError(f"a journal has no event of type {unknown!r}")

    def _known(self, pull: Pull | int) -> int:
        identity = pull.id if isinstance(pull, Pull) else pull
        if isinstance(identity, bool) or not isinstance(identity, int) or not 1 <= identity <= len(self._rewards):
            raise InvalidValue(f"pull must be one that was asked for, 1 to {len(self._rewards)}, got {identity!r}")
        return identity

    def _checked(self, reward: Any, arm: str) -> float:
        rewards = self.problem.rewards
        limits = {"at_least": rewards.low, "at_most": rewards.high} if isinstance(rewards, Bounded) else {}
        return number(f"a reward of arm {arm!r}", reward, **limits)

    def __iter__(self) -> Iterator[Pull]:
        """Every pull to make, one at a time, until the study is decided."""
        while not self.decided and (pulls := self.ask()):
            yield from pulls


def some(names: tuple[str, ...]) -> str:
    """The first few names."""
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
