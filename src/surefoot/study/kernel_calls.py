"""The kernels of a study, and the records they work on: interpreted at first, compiled in a study that is busy.

Both ways give the same bits, so that a study may change from one to the other at any time. They differ in how an earlier
record stands in for an arm's own while a look compares arms: `Arms` finds it when it is asked for, which is quicker where
few of many are looked at; compiled kernels put it into the array (`put_earlier` of `core/live`), which is all they can read.
"""

from __future__ import annotations  # numpy.random is loaded with the first study, and not before

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from surefoot.core import live, records, statistics, verdicts
from surefoot.core.live import Live
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.state import Results, State, Step

NOTHING_FOUND = Step(verdicts.UNDECIDED, -1, 0)


class KernelCalls(Protocol):
    """What engine, chooser and pair order ask for at each pull. The functions of `core/live` say what each does."""

    kernels: Any  # for all that happens seldom: interpreted, and called with `state`
    state: State
    generator: np.random.Generator  # from which a policy draws
    fold: Callable[[int, Results], float]
    refresh: Callable[[int], None]
    anticipate: Callable[[int, int, int], None]
    stop_anticipating: Callable[[], None]

    def choose(self, t: int) -> list[int]:
        """The arms to pull."""

    def choose_several(self, most: int, t: int) -> list[list[int]]:
        """The arms to pull in further steps, which may be fewer than that."""

    def compare_by(self, before: dict[int, Any], passed: dict[int, int]) -> None:
        """From now on, compare arms by these earlier records, and arms with a pull that was passed by an empty one."""

    def look(self, t: int) -> Step:
        """Do the results decide?"""

    def keep_earlier(self, arm: int) -> Any:
        """A copy of an arm's record, to be its earlier one."""

    def gather(self, arm: int, record: Any, results: Results) -> bool:
        """Fold results into an arm's earlier record, which is this one; has it all that its own has by now?"""

    def is_ranked(self, arm: int) -> bool:
        """May the arm still be the best?"""


class Interpreted:
    """On plain records."""

    def __init__(self, program: Program, question: Question, seed: int) -> None:
        self.kernels = kernels = program.kernels(live)
        self.state = program.start(question, packed=False)
        self.generator = np.random.default_rng(np.random.SeedSequence(seed))
        arms = question.arms
        self.live = Live(
            self.state,
            self.generator,
            chosen=[0] * live.SEVERAL,
            pending=[0] * arms,
            uppers=[0.0] * arms,
            anticipated=[0] * arms,
            counts=[0],
            found=(),  # `look` does without these
            earlier=(),
            own=(),
            blank=(),
            replaced=(),
        )
        self.fold: Callable[[int, Results], float] = partial(kernels.fold, self.live)
        self.refresh: Callable[[int], None] = partial(kernels.refresh, self.live)
        self.anticipate: Callable[[int, int, int], None] = partial(kernels.anticipate, self.live)
        self.stop_anticipating: Callable[[], None] = partial(kernels.stop_anticipating, self.live)
        self.before, self.passed = dict[int, Any](), dict[int, int]()

    def choose(self, t: int) -> list[int]:
        pulls = self.kernels.choose(self.live, t)
        return [int(arm) for arm in self.state.asked[:pulls]]

    def choose_several(self, most: int, t: int) -> list[list[int]]:
        made, pulls = self.kernels.choose_several(self.live, min(most, live.SEVERAL), t)
        steps = [[int(arm)] for arm in self.live.chosen[:made]]
        return [*steps, [int(arm) for arm in self.state.asked[:pulls]]] if pulls > 0 else steps

    def compare_by(self, before: dict[int, Any], passed: dict[int, int]) -> None:
        self.before, self.passed = before, passed

    def look(self, t: int) -> Step:
        kernels, state = self.kernels, self.state
        kernels.ranker.refresh(state, t)
        ranking, stop = kernels.ranker.rank(state), kernels.policy.stop
        if not self.before and not self.passed:  # nearly always
            step: Step = stop(state, ranking, t)
            return step
        arms = Arms(state.arms, self.before, set(self.passed.values()))
        step = stop(state._replace(arms=arms), ranking, t)
        for arm, record in arms.used.items():
            known = state.arms[arm]
            known.beaten_by, known.verdict = record.beaten_by, record.verdict
            if record.order != known.order:
                known.order, known.since = record.order, record.since
                kernels.taking_up.start_if_due(state, arm)
        return step

    def keep_earlier(self, arm: int) -> Any:
        record = records.copied(self.state.arms[arm])
        record.limit = self.state.arms[arm].limit  # what was found of its limits is known of the arm
        return record

    def gather(self, arm: int, record: Any, results: Results) -> bool:
        self.kernels.folding.gather(record, self.state, results, statistics.guess(record.metric))
        return bool(record.metric.pulls == self.state.arms[arm].metric.pulls)

    def is_ranked(self, arm: int) -> bool:
        record = self.state.arms[arm]
        return record.verdict != verdicts.INFEASIBLE and not record.beaten_by


class Compiled:
    """On arrays, which interpreted kernels and whoever reads see as records like the plain ones."""

    def __init__(self, program: Program, question: Question, metrics: int, interpreted: KernelCalls) -> None:
        """Go on from where these calls are, with results of so many metrics."""
        from surefoot.compiled import resident_program  # numba takes half a second to import

        self.kernels, self.generator = interpreted.kernels, interpreted.generator
        memory = memory_of(program, question, interpreted.state, self.generator)
        seen = seen_memory(memory)
        self.state, self.earlier = seen.state, seen.earlier
        self.chosen, self.replaced, self.found = seen.chosen, seen.replaced, seen.found
        arms = memory.state.arms
        self.verdicts, self.beaten_by = memoryview(arms["verdict"]), memoryview(arms["beaten_by"])
        self.replacements = 0
        results = (0.0,) * metrics
        calls = {
            "fold": (0, results),
            "gather": (0, results),
            "keep": (0,),
            "refresh": (0,),
            "anticipate": (0, 0, 0),
            "stop_anticipating": (),
            "choose": (0,),
            "choose_several": (0, 0),
            "look": (0, 0),
        }
        functions = resident_program(live, program.parts, memory, calls).bound(memory)
        self.fold, self.refresh = functions["fold"], functions["refresh"]
        self.anticipate, self.stop_anticipating = functions["anticipate"], functions["stop_anticipating"]
        self.step, self.several, self.looked = (functions[name] for name in ("choose", "choose_several", "look"))
        self.copied, self.gathered = functions["keep"], functions["gather"]

    def choose(self, t: int) -> list[int]:
        arms: list[int] = self.state.asked[: self.step(t)]
        return arms

    def choose_several(self, most: int, t: int) -> list[list[int]]:
        made, pulls = self.several(min(most, live.SEVERAL), t)
        steps = [[arm] for arm in self.chosen[:made]]
        return [*steps, self.state.asked[:pulls]] if pulls > 0 else steps

    def compare_by(self, before: dict[int, Any], passed: dict[int, int]) -> None:
        blank = set(passed.values())
        places = [*(arm for arm in before if arm not in blank), *(-1 - arm for arm in blank)]
        self.replacements = len(places)
        self.replaced[: len(places)] = places

    def look(self, t: int) -> Step:
        status = self.looked(self.replacements, t)
        return NOTHING_FOUND if status == verdicts.UNDECIDED else Step(status, self.found[0], 0)

    def taken_over(self, arm: int, record: Any) -> Any:
        """An earlier record of the interpreted calls."""
        records.fill(self.earlier[arm], records.contents(record))
        return self.earlier[arm]

    def keep_earlier(self, arm: int) -> Any:
        self.copied(arm)
        return self.earlier[arm]

    def gather(self, arm: int, record: Any, results: Results) -> bool:
        caught_up: bool = self.gathered(arm, results)
        return caught_up

    def is_ranked(self, arm: int) -> bool:
        return self.verdicts[arm] != verdicts.INFEASIBLE and not self.beaten_by[arm]


def memory_of(program: Program, question: Question, state: State, generator: np.random.Generator) -> Live:
    """The same on arrays. Of those for earlier records, only what is used takes memory."""
    packed = program.start(question, packed=True)._replace(seen=())
    packed.arms[:] = records.packed(state.arms, program.arm)
    packed.policy[:] = records.packed(state.policy, program.policy.Memory)
    for filled, values in zip(packed.board, state.board, strict=True):
        filled[:] = values
    packed.asked[:], packed.waiting[:] = state.asked, state.waiting
    arms, record = len(packed.arms), packed.arms.dtype
    return Live(
        packed,
        generator,
        chosen=np.zeros(live.SEVERAL, np.int64),
        pending=np.zeros(arms, np.int64),
        uppers=np.zeros(arms),
        anticipated=np.zeros(arms, np.int64),
        counts=np.zeros(1, np.int64),
        found=np.zeros(1, np.int64),
        earlier=np.zeros(arms, record),
        own=np.zeros(arms, record),
        blank=np.zeros(1, record),
        replaced=np.zeros(arms, np.int64),
    )


def seen_memory(memory: Live) -> Live:
    """The same memory, as interpreted kernels work with it."""

    def seen(values: Any) -> Any:
        return records.views(values) if isinstance(values, np.ndarray) else values

    state = State(*map(seen, memory.state))
    state = state._replace(board=type(state.board)(*map(seen, state.board)))
    return Live(*map(seen, memory))._replace(state=state)


class Copies(dict[int, Any]):
    """Of each record that is asked for, a copy."""

    def __init__(self, arms: list[Any]) -> None:
        self.arms = arms

    def __missing__(self, arm: int) -> Any:
        self[arm] = records.copied(self.arms[arm])
        return self[arm]


class Arms:
    """The records of all arms: earlier ones for some, and empty ones for arms with a pull that the line passed."""

    def __init__(self, records: list[Any] | Copies, before: dict[int, Any], passed: set[int]) -> None:
        self.records, self.before, self.passed = records, before, passed
        self.used: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, arm: int) -> Any:
        if arm not in self.before and arm not in self.passed:
            return self.records[arm]
        if arm not in self.used:
            known = self.records[arm]
            record = self.used[arm] = type(known)() if arm in self.passed else self.before[arm]
            # What is known of an arm by itself: for this, all its rewards count.
            record.goal.lower, record.goal.upper = known.goal.lower, known.goal.upper
            record.verdict, record.beaten_by, record.limit = known.verdict, known.beaten_by, known.limit
            record.order, record.since = known.order, known.since
        return self.used[arm]
