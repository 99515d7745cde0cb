"""A study: a live problem. Thin over its journal, an append-only list of plain-data events that `Live` folds."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.errors import BadJournal, Conflict, InvalidValue, SurefootError, Unsupported, number, whole
from surefoot.problem import Problem
from surefoot.rewards.models import Bounded
from surefoot.study.live import Live
from surefoot.study.report import Decision, Table, decision, table

VERSION = 1  # of the events
ABANDONED = "abandoned"  # in the place of a reward


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
        problem = Problem.of(arms, **fields)
        whole("seed", seed, at_least=0)
        names = {"policy": policy, "bounds": bounds, "seed": seed}
        self._begin({"version": VERSION, "type": "created", "problem": problem.dumps(), **names}, problem)

    @classmethod
    def from_events(cls, events: Iterable[Mapping[str, Any]]) -> "Study":
        """The study that a journal tells of; refused where the journal cannot be one."""
        study = cls.__new__(cls)
        position = 0
        for position, event in enumerate(events, start=1):
            try:
                study._replay(dict(event), first=position == 1)
            except (SurefootError, LookupError, TypeError, ValueError) as error:
                raise BadJournal(f"event {position} of the journal cannot be: {error}") from error
        if not position:
            raise BadJournal("a journal must begin with an event of type 'created', got no event")
        return study

    # --- what a worker does

    def ask(self, count: int | None = None) -> list[Pull]:
        """The pulls of the next step; or `count` pulls for parallel workers. None once the study is decided or spent."""
        if count is not None:
            whole("count", count, at_least=1)
        first = len(self._rewards) + 1
        arms = self._live.ask(count, first)
        if arms:
            self._handed_out({"type": "asked", "first": first, "arms": arms})
        return [Pull(first + position, self.problem.names[arm]) for position, arm in enumerate(arms)]

    def tell(self, pull: Pull | int, reward: float) -> None:
        """The reward of a pull. The same pull may be told again with the same reward."""
        self.tell_all([(pull, reward)])

    def tell_all(self, results: Iterable[tuple[Pull | int, float]]) -> None:
        """Several rewards, taken all or none."""
        fresh: dict[int, float] = {}
        for pull, reward in results:
            identity = self._known(pull)
            value = self._checked(reward, self._arms[identity - 1])
            before = fresh.get(identity, self._rewards[identity - 1])
            if before == ABANDONED:
                raise Conflict(f"pull {identity} was abandoned and cannot be told any more")
            if before is None:
                fresh[identity] = value
            elif before != value:
                raise Conflict(f"pull {identity} was told as {before!r} and cannot be told as {value!r}")
        if fresh:
            self._happen({"type": "told", "results": [list(result) for result in fresh.items()]})

    def record(self, arm: str, reward: float) -> None:
        """A reward that was not asked for, such as one from a log; in the order given."""
        if not isinstance(arm, str) or arm not in self._index:
            raise InvalidValue(f"arm must be one of {some(self.problem.names)}, got {arm!r}")
        if self._live.one_at_a_time:
            raise Unsupported(
                "this policy decides by the pull it asked for last: it takes no rewards it did not ask for"
            )
        index = self._index[arm]
        self._happen({"type": "recorded", "arm": index, "reward": self._checked(reward, index)})

    def abandon(self, pull: Pull | int) -> None:
        """Give a pull up: its reward will not come. Sound if that has nothing to do with what the reward would be."""
        identity = self._known(pull)
        if self._rewards[identity - 1] is not None:
            raise Conflict(f"pull {identity} was told or abandoned before and cannot be abandoned")
        self._happen({"type": "abandoned", "pull": identity})

    def close(self) -> None:
        """No more pulls; if nothing is decided by now, the decision is that it is undecided."""
        if not self.decided:
            self._happen({"type": "closed"})

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

    def __iter__(self) -> Iterator[Pull]:
        """Every pull to make, one at a time, until the study is decided."""
        while not self.decided and (pulls := self.ask()):
            yield from pulls

    # --- the journal

    def _begin(self, event: dict[str, Any], problem: Problem) -> None:
        self.problem = problem
        self.events: list[dict[str, Any]] = [event]
        self._index = {name: index for index, name in enumerate(problem.names)}
        self._arms: list[int] = []  # of each pull, by its number less one
        self._rewards: list[float | str | None] = []  # as told; None while in the air
        self._live = Live(problem, event["policy"], event["bounds"], event["seed"])

    def _handed_out(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        self._arms.extend(event["arms"])
        self._rewards.extend([None] * len(event["arms"]))

    def _happen(self, event: dict[str, Any]) -> None:
        """Let a checked event take effect and append it, with the decision if it brought one."""
        decided = self.decided
        event["late"] = self._apply(event)
        self.events.append(event)
        if self.decided and not decided:
            status, best = self.decision.status, self._live.best
            self.events.append({"type": "decided", "status": status, "arm": best, "pulls": self.pulls})

    def _apply(self, event: dict[str, Any]) -> int:
        """Fold an event into the state; how many of its rewards came after the decision."""
        live, scale, late = self._live, self.problem.scale, 0
        match event["type"]:
            case "told":
                for identity, reward in event["results"]:
                    self._rewards[identity - 1] = reward
                    if live.finished:
                        live.open.pop(identity)
                        late += 1
                    else:
                        live.tell(identity, scale.inward(reward))
            case "recorded":
                late = int(live.finished)
                if not late:
                    live.record(event["arm"], scale.inward(event["reward"]))
            case "abandoned":
                self._rewards[event["pull"] - 1] = ABANDONED
                if live.finished:
                    live.open.pop(event["pull"])
                else:
                    live.abandon(event["pull"])
            case "closed":
                live.finish(verdicts.UNDECIDED, -1)
        return late

    def _replay(self, event: dict[str, Any], first: bool) -> None:
        """Take an event of a journal as if it happened now, through the same checks."""
        kind = event.get("type")
        if first != (kind == "created"):
            raise BadJournal(f"a journal must begin with its only event of type 'created', got {kind!r}")
        match kind:
            case "created":
                if event.get("version") != VERSION:
                    raise BadJournal(f"the version must be {VERSION}, got {event.get('version')!r}")
                self._begin(event, Problem.loads(event["problem"]))
            case "asked":
                arms = self._live.ask(len(event["arms"]), len(self._rewards) + 1)
                if (event["first"], event["arms"]) != (len(self._rewards) + 1, arms):
                    raise BadJournal("it asks for other pulls than this version of Surefoot would")
                self._handed_out(event)
            case "told":
                self.tell_all([(identity, reward) for identity, reward in event["results"]])
            case "recorded":
                if not 0 <= event["arm"] < len(self.problem.arms):
                    raise BadJournal(f"arm must be 0 to {len(self.problem.arms) - 1}, got {event['arm']!r}")
                self.record(self.problem.names[event["arm"]], event["reward"])
            case "abandoned":
                self.abandon(event["pull"])
            case "closed":
                self.close()
            case "decided":
                if self.events[-1] != event:
                    raise BadJournal("the decision does not follow from what was told")
            case unknown:
                raise BadJournal(f"there is no event of type {unknown!r}")

    def _known(self, pull: Pull | int) -> int:
        identity = pull.id if isinstance(pull, Pull) else pull
        if isinstance(identity, bool) or not isinstance(identity, int) or not 1 <= identity <= len(self._rewards):
            raise InvalidValue(f"pull must be one that was asked for, 1 to {len(self._rewards)}, got {identity!r}")
        arm = self.problem.names[self._arms[identity - 1]]
        if isinstance(pull, Pull) and pull.arm != arm:
            raise InvalidValue(
                f"pull {identity} is one of arm {arm!r}, got one of arm {pull.arm!r}: is it another study's?"
            )
        return identity

    def _checked(self, reward: Any, arm: int) -> float:
        rewards = self.problem.rewards
        limits = {"at_least": rewards.low, "at_most": rewards.high} if isinstance(rewards, Bounded) else {}
        return number(f"a reward of arm {self.problem.names[arm]!r}", reward, **limits)


def some(names: tuple[str, ...]) -> str:
    """The first few names."""
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
