"""All that the recording knows of the inside: when kernels, records or modules move, this file follows, and no row."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from surefoot import Problem, Study
from surefoot.core import stepping, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.bounds import sharp
from surefoot.core.program import shared_kernels
from surefoot.core.registry import BOUNDS, FAMILIES, POLICIES, SHARP_TESTS, TIGHT_TESTS
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.problem.reward_models import Bounded, SubGaussian
from surefoot.problem.risks.expressions import EXPRESSIONS
from surefoot.storage import Memory, Storage
from surefoot.study import leases, snapshot
from tests.conftest import PROGRAMS

STATUS = {verdicts.UNDECIDED: "undecided", verdicts.BEST: "best", verdicts.NO_ARM: "infeasible"}
VERDICT = {verdicts.OPEN: "open", verdicts.FEASIBLE: "feasible", verdicts.INFEASIBLE: "infeasible"}


def combinations() -> list[tuple[str, str, str, str]]:
    """Every (policy, bounds, kind of rewards, kind of limit) that is registered."""
    return list(PROGRAMS)


def reward_model(kind: str, low: float = 0.0, high: float = 1.0) -> Any:
    """What `rewards=` of a problem takes for a kind of rewards."""
    return {"bounded": (low, high), "subgaussian": sub_gaussian(1.0), "gaussian": "gaussian"}[kind]


class Step(NamedTuple):
    """One step of a policy, as it is about to pull, or as it stops."""

    asked: list[int]
    bounds: list[tuple[float, float]]  # L and U of every arm, on the kernels' scale
    verdicts: list[str]
    status: str
    arm: int


def steps(
    problem: Problem, policy: str, bounds: str, reward: Callable[[int], float], seed: int, max_pulls: int
) -> Iterator[Step]:
    """The steps of the interpreted kernels to a decision, or to so many pulls; `reward(arm)` is the arm's next one."""
    program = choice.program(problem, policy, bounds)
    kernels = assemble(stepping, program.parts)
    state = program.start(question_of(problem), packed=False)
    inward, generator = problem.inward, np.random.default_rng(seed)
    pulls = t = 0
    while pulls < max_pulls:
        t += 1
        step = kernels.step(state, t, generator)
        asked = [int(arm) for arm in state.asked[: step.pulls]][: max_pulls - pulls]
        found = [(float(arm.goal.lower), float(arm.goal.upper)) for arm in state.arms]
        yield Step(asked, found, [VERDICT[arm.verdict] for arm in state.arms], STATUS[step.status], int(step.arm))
        if step.status != verdicts.UNDECIDED:
            return
        for arm in asked:
            kernels.fold(state, arm, inward((reward(arm),)))
            pulls += 1


# --- live studies


class Clock:
    """Seconds since 1970, that pass when a script says so."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds


@contextmanager
def clock() -> Iterator[Clock]:
    """A clock by which leases run."""
    before, clock = leases.steady, Clock()
    leases.steady = clock
    try:
        yield clock
    finally:
        leases.steady = before


def storage_with(clock: Clock, storage: Storage | None = None) -> Storage:
    """A storage, in memory by default, that has its time from this clock."""
    storage = storage or Memory()
    storage.now = clock  # type: ignore[method-assign]
    return storage


@contextmanager
def snapshots_every(events: int) -> Iterator[None]:
    """Have studies take snapshots often."""
    before = snapshot.between
    snapshot.between = lambda fold: events
    try:
        yield
    finally:
        snapshot.between = before


def without_snapshot(storage: Storage, name: str) -> Study:
    """A study opened from its journal alone."""
    storage.journal(name).drop_snapshot()
    return Study.open(storage, name)


def exclude(study: Any, arm: str, why: str) -> None:
    """Go on without an arm that cannot be measured."""
    study.set_aside(arm, why)


def verdict(word: str) -> str:
    """The verdict on an arm, whatever an excluded one is called."""
    return "excluded" if word == "set aside" else word


def excluded(study: Any) -> dict[str, str]:
    """The arms that were excluded, and why."""
    return dict(study.aside)


def sub_gaussian(sigma: float) -> Any:
    """What `rewards=` takes for sub-Gaussian rewards."""
    return SubGaussian(sigma)


def reward_range(study: Study) -> tuple[float, float]:
    """The range of a study's rewards; 0 to 1 where they have none."""
    rewards = study.problem.rewards
    return (rewards.low, rewards.high) if isinstance(rewards, Bounded) else (0.0, 1.0)


@contextmanager
def sharp_changed(by: float) -> Iterator[None]:
    """Have a constant of the `sharp` bounds changed by this part of it."""
    before = sharp.INVERSE_SLOPES
    sharp.INVERSE_SLOPES = before * (1.0 + by)
    shared_kernels.cache_clear()  # which have the constant as it was
    try:
        yield
    finally:
        sharp.INVERSE_SLOPES = before
        shared_kernels.cache_clear()


@contextmanager
def registry_kept() -> Iterator[None]:
    """Whatever is registered here is gone afterwards."""
    tables: list[dict[Any, Any]] = [POLICIES, FAMILIES, SHARP_TESTS, TIGHT_TESTS, EXPRESSIONS]
    before, names = [dict(table) for table in tables], list(BOUNDS)
    try:
        yield
    finally:
        for table, content in zip(tables, before, strict=True):
            table.clear()
            table.update(content)
        BOUNDS[:] = names
