"""The kernels of a study, and the records they work on: interpreted at first, compiled in a study that is busy.

Both ways give the same bits, so that a study may change from one to the other at any time.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from surefoot.core import live, records, statistics, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.live import Live
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.state import Results, State, Step


class KernelCalls(Protocol):
    """What engine, chooser and pair order ask for at each pull. The functions of `core/live` say what each does."""

    kernels: Any  # for all that happens seldom: interpreted, and called with `state`
    state: State
    generator: np.random.Generator  # from which a policy draws
    fold: Callable[[int, Results], float]
    refresh: Callable[[int], None]
    anticipate: Callable[[int, int, float, int], None]
    revise_upper: Callable[[int, float], None]

    def choose(self, t: int) -> list[int]:
        """The arms to pull."""

    def look(self, before: dict[int, Any], passed: dict[int, int], t: int) -> Step:
        """Do the results decide? By earlier records of some arms, and with none for those of pulls that were passed."""

    def kept(self, arm: int) -> Any:
        """A copy of an arm's record, to be its earlier one."""

    def gather(self, arm: int, record: Any, results: Results) -> bool:
        """Fold results into an arm's earlier record; has it all that its own has by now?"""

    def upper(self, arm: int) -> float: ...

    def verdict(self, arm: int) -> int: ...

    def is_ranked(self, arm: int) -> bool:
        """May the arm still be the best?"""


class Interpreted:
    """On plain records."""

    def __init__(self, program: Program, question: Question, seed: int) -> None:
        self.kernels = kernels = assemble(live, program.parts)
        self.state = program.start(question, packed=False)
        self.generator = np.random.default_rng(np.random.SeedSequence(seed))
        self.live = Live(self.state, self.generator)
        self.fold = partial(kernels.fold, self.live)
        self.refresh = partial(kernels.refresh, self.live)
        self.anticipate = partial(kernels.anticipate, self.live)
        self.revise_upper = partial(kernels.revise_upper, self.live)

    def choose(self, t: int) -> list[int]:
        pulls = self.kernels.choose(self.live, t)
        return [int(arm) for arm in self.state.asked[:pulls]]

    def look(self, before: dict[int, Any], passed: dict[int, int], t: int) -> Step:
        if not before and not passed:  # nearly always
            step: Step = self.kernels.look(self.live, 0, t)
            return step
        kernels, state = self.kernels, self.state
        kernels.ranker.refresh(state, t)
        arms = Arms(state.arms, before, set(passed.values()))
        step = kernels.policy.stop(state._replace(arms=arms), kernels.ranker.rank(state), t)
        for arm, record in arms.used.items():
            known = state.arms[arm]
            known.beaten_by, known.verdict = record.beaten_by, record.verdict
            if record.order != known.order:
                known.order, known.since = record.order, record.since
                kernels.taking_up.start_if_due(state, arm)
        return step

    def kept(self, arm: int) -> Any:
        record = records.copied(self.state.arms[arm])
        record.limit = self.state.arms[arm].limit  # what was found of its limits is known of the arm
        return record

    def gather(self, arm: int, record: Any, results: Results) -> bool:
        self.kernels.folding.gather(record, self.state, results, statistics.guess(record.metric))
        return bool(record.metric.pulls == self.state.arms[arm].metric.pulls)

    def upper(self, arm: int) -> float:
        return float(self.state.arms[arm].goal.upper)

    def verdict(self, arm: int) -> int:
        return int(self.state.arms[arm].verdict)

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
        packed, arms = memory.state, memory.state.arms
        self.state = packed._replace(
            arms=records.views(arms, program.arm),
            board=type(packed.board)(*map(records.numbers, packed.board)),
            policy=records.views(packed.policy, program.policy.Memory),
            asked=records.numbers(packed.asked),
            waiting=records.numbers(packed.waiting),
        )
        self.replaced = records.numbers(memory.replaced)
        self.earlier = records.views(memory.earlier, program.arm)
        self.uppers, self.verdicts = memoryview(arms["goal"]["upper"]), memoryview(arms["verdict"])
        self.beaten_by = memoryview(arms["beaten_by"])
        results = (0.0,) * metrics
        calls = {
            "fold": (0, results),
            "gather": (0, results),
            "keep": (0,),
            "refresh": (0,),
            "anticipate": (0, 0, 0.0, 0),
            "revise_upper": (0, 0.0),
            "choose": (0,),
            "look": (0, 0),
        }
        functions = resident_program(live, program.parts, memory, calls).bound(memory)
        self.fold, self.refresh = functions["fold"], functions["refresh"]
        self.anticipate, self.revise_upper = functions["anticipate"], functions["revise_upper"]
        self.chosen, self.looked = functions["choose"], functions["look"]
        self.copied, self.gathered = functions["keep"], functions["gather"]

    def choose(self, t: int) -> list[int]:
        arms: list[int] = self.state.asked[: self.chosen(t)]
        return arms

    def look(self, before: dict[int, Any], passed: dict[int, int], t: int) -> Step:
        if not before and not passed:
            step: Step = self.looked(0, t)
            return step
        blank = set(passed.values())
        places = [*(arm for arm in before if arm not in blank), *(-1 - arm for arm in blank)]
        self.replaced[: len(places)] = places
        step = self.looked(len(places), t)
        return step

    def taken_over(self, arm: int, record: Any) -> Any:
        """An earlier record of the interpreted calls."""
        records.fill(self.earlier[arm], records.contents(record))
        return self.earlier[arm]

    def kept(self, arm: int) -> Any:
        self.copied(arm)
        return self.earlier[arm]

    def gather(self, arm: int, record: Any, results: Results) -> bool:
        caught_up: bool = self.gathered(arm, results)
        return caught_up

    def upper(self, arm: int) -> float:
        return self.uppers[arm]

    def verdict(self, arm: int) -> int:
        return self.verdicts[arm]

    def is_ranked(self, arm: int) -> bool:
        return self.verdicts[arm] != verdicts.INFEASIBLE and not self.beaten_by[arm]


def memory_of(program: Program, question: Question, state: State, generator: np.random.Generator) -> Live:
    """The same on arrays. Of those for earlier records, only what is used takes memory."""
    packed = program.start(question, packed=True)._replace(seen=())
    packed.arms[:] = records.packed(state.arms, program.arm)
    packed.policy[:] = records.packed(state.policy, program.policy.Memory)
    for filled, values in zip((*packed.board, packed.asked, packed.waiting), (*state.board, state.asked, state.waiting)):
        filled[:] = values
    arms = len(packed.arms)
    earlier, kept, blank = (np.zeros(size, packed.arms.dtype) for size in (arms, arms, 1))
    return Live(packed, generator, earlier, kept, blank, np.zeros(arms, np.int64))


class Copies(dict[int, Any]):
    """Of each record that is asked for, a copy."""

    def __init__(self, arms: list[Any]) -> None:
        self.arms = arms

    def __missing__(self, arm: int) -> Any:
        self[arm] = records.copied(self.arms[arm])
        return self[arm]


class Arms:
    """The records of all arms, with other evidence for some, and none for those back in the ranking that the line passed."""

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
