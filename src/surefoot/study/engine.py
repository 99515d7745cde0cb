"""The kernels at work on a live problem: which arms to pull next, what the rewards told so far decide.

Rewards enter each arm's bounds in the order their pulls were asked for, whatever the order they are told in: that the
bounds hold depends on it (docs/bounds.md). Pulls in flight count for choosing further ones; what was asked for after them
does not yet count for comparing two arms (`together`). Without any, a study takes the very steps of a simulated run.
"""

import math
from collections import OrderedDict, deque
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from surefoot.core import stepping, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.state import State
from surefoot.errors import PartFailed
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of
from surefoot.study.pair_order import PairOrder
from surefoot.study.watch import EVERY, Place, Watch

TRIES = 1_000  # of a policy that chooses arms set aside; so many that one that draws them keeps its distribution


class Asked(NamedTuple):
    arm: int
    step: int


class Wanted(NamedTuple):
    """Pulls whose arms are yet to be chosen: so many, or those of one step."""

    pulls: int | None


class Engine:
    """The kernels' state of a study: what was asked, told, recorded and abandoned comes to, on their scale."""

    def __init__(self, problem: Problem, policy: str, bounds: str, seed: int) -> None:
        self.program = choice.program(problem, policy, bounds).displayed
        self.kernels = assemble(stepping, self.program.parts)
        self.state: State = self.program.start(question_of(problem), packed=False)
        self.generator = np.random.default_rng(np.random.SeedSequence(seed))
        self.budget = math.inf if problem.max_pulls is None else problem.max_pulls
        self.clocked: bool = self.program.ranker.CLOCKED
        self.one_at_a_time = self.program.policy.ONE_AT_A_TIME
        self.steps = 0  # begun
        self.warm = 0  # steps of the warm-up begun
        self.warm_pulls = self.warm_up_pulls()
        self.arms_not_warm = len(problem.arms)  # arms with fewer rewards than the warm-up makes
        self.counted = 0  # rewards folded into bounds
        self.spent = 0  # pulls handed out or recorded, less those abandoned
        self.waiting: deque[Asked] = deque()  # chosen, not yet handed out
        self.in_flight: dict[int, Asked] = {}  # handed out, neither told nor abandoned, by the pull's number
        self.open_by_step: dict[int, int] = {}  # of each step that is not complete, the pulls not yet done with
        # Per arm and in ask order, the rewards not yet folded by the pull's number; None while they are in flight.
        self.queues: dict[int, OrderedDict[int, float | None]] = {}
        self.pair_order = PairOrder(self.kernels, self.state)
        self.watch = Watch(problem)
        self.handed_out = 0  # the last pull
        self.recorded: dict[
            int, Place
        ] = {}  # of results recorded and not yet folded, by number: after which pull they came
        self.true_uppers: dict[int, float] = {}  # of the arms whose U stands revised while further pulls are chosen
        self.aside: dict[int, str] = {}  # the arms left out, and why
        self.failures: dict[int, int] = {}  # of each arm, the pulls that failed: told as a failure, or tried again
        self.expired: dict[int, int] = {}  # of each arm, the pulls that others replaced because they were not heard of
        self.status, self.best, self.finished = verdicts.UNDECIDED, -1, False

    # --- what happens

    def hand_out(self, first: int, wanted: Wanted | list[int]) -> list[int]:
        """Hand out pulls, numbered from `first`: their arms. Those that are wanted, if a journal says which they were."""
        if isinstance(wanted, Wanted):
            return self.hand_out_next(first, wanted.pulls)
        with suppress(PartFailed):
            if self.hand_out_next(first, len(wanted)) == wanted:
                return wanted
        self.hand_out_instead(first, wanted)
        return wanted

    def hand_out_next(self, first: int, count: int | None) -> list[int]:
        """The pulls of one step, or `count` pulls, if the budget allows."""
        arms: list[int] = []
        try:
            while not self.finished and self.spent < self.budget and (count is None or len(arms) < count):
                if not self.waiting:
                    if (count is None and arms) or not self.begin_step():
                        break
                    continue
                asked = self.waiting.popleft()
                self.hand_out_one(first + len(arms), asked)
                arms.append(asked.arm)
                if self.true_uppers:
                    self.anticipate(asked.arm)
        finally:
            self.stop_anticipating()
        return arms

    def hand_out_instead(self, first: int, arms: list[int]) -> None:
        """Other pulls than those just handed out: a step of their own.

        A journal has such as were chosen by another version or another machine's arithmetic, or by another policy of the
        user's own.
        """
        for number in [number for number in self.in_flight if number >= first]:
            self.waiting.append(self.take_back(number))
        for asked in self.waiting:
            self.open_by_step[asked.step] -= 1
            if not self.open_by_step[asked.step]:
                del self.open_by_step[asked.step]
        self.waiting.clear()
        self.steps += 1
        self.open_by_step[self.steps] = len(arms)
        self.state.asked[0] = arms[-1]
        for number, arm in enumerate(arms, first):
            self.hand_out_one(number, Asked(arm, self.steps))

    def hand_out_one(self, number: int, asked: Asked) -> None:
        self.spent += 1
        self.handed_out = number
        self.in_flight[number] = asked
        self.queues.setdefault(asked.arm, OrderedDict())[number] = None
        self.pair_order.asked(number, asked.arm)

    def take_back(self, number: int) -> Asked:
        """A pull in flight that brings no reward: the budget has it back."""
        asked = self.in_flight.pop(number)
        del self.queues[asked.arm][number]
        self.pair_order.taken_back(number)
        self.spent -= 1
        self.fold(asked.arm)
        return asked

    def tell(self, number: int, reward: float) -> None:
        """The reward of a pull in flight."""
        asked = self.in_flight.pop(number)
        self.queues[asked.arm][number] = reward
        self.pair_order.told(number, asked.arm, reward)
        self.fold(asked.arm)
        self.done_with(asked)

    def abandon(self, number: int) -> None:
        """A pull whose reward will never come: those behind it move up."""
        self.done_with(self.take_back(number))

    def replace(self, number: int) -> None:
        """A pull that failed, or was not heard of for too long: a fresh one, handed out before any further step, takes its
        place.
        """
        self.waiting.append(self.take_back(number))
        self.look()

    def note_failure(self, arm: int) -> None:
        self.failures[arm] = self.failures.get(arm, 0) + 1

    def note_expired(self, arm: int) -> None:
        self.expired[arm] = self.expired.get(arm, 0) + 1

    def record(self, arm: int, reward: float) -> None:
        """A reward nobody asked for: a step of its own, asked for and told at once."""
        self.steps += 1
        self.spent += 1
        self.queues.setdefault(arm, OrderedDict())[-self.steps] = reward
        self.recorded[-self.steps] = self.handed_out, self.steps
        self.pair_order.told(-self.steps, arm, reward)
        self.fold(arm)
        if not self.in_flight:  # what was chosen before may no longer be what to pull
            self.waiting.clear()
            self.open_by_step.clear()
            self.warm = 0
        self.look()
        self.mind_the_budget()

    def set_aside(self, arm: int, why: str) -> None:
        """Go on without an arm that has no pulls in flight: for the kernels it is out, as an infeasible one is."""
        record = self.state.arms[arm]
        self.arms_not_warm -= record.metric.pulls < self.warm_pulls
        self.aside[arm] = why
        for asked in [asked for asked in self.waiting if asked.arm == arm]:
            self.waiting.remove(asked)
            self.open_by_step[asked.step] -= 1
        self.open_by_step = {step: pulls for step, pulls in self.open_by_step.items() if pulls}
        record.verdict = verdicts.INFEASIBLE
        self.kernels.ranker.leave_out(self.state, arm)
        if len(self.aside) == len(self.state.arms):
            self.finish(verdicts.UNDECIDED, -1)
        self.look()
        self.mind_the_budget()

    def fold(self, arm: int) -> None:
        """Let in the rewards at the head of an arm's line."""
        line, record, watch = self.queues[arm], self.state.arms[arm], self.watch
        portions = self.counted // EVERY
        while line:
            number, reward = next(iter(line.items()))
            if reward is None:
                break
            del line[number]
            self.pair_order.keep(number, arm)
            self.kernels.fold(self.state, arm, reward)
            pulls = record.metric.pulls
            if pulls >= watch.due[arm]:
                watch.take(arm, record)
            place = (number, 0) if number > 0 else self.recorded.pop(number)
            if pulls > watch.before:
                watch.waiting.append((place, arm, reward))
            self.counted += 1
            self.arms_not_warm -= pulls == self.warm_pulls and arm not in self.aside
        else:
            del self.queues[arm]
        if (
            self.counted // EVERY > portions
        ):  # not before the whole line is in: all that precedes the oldest pull is then there
            watch.gather(self.oldest())

    def done_with(self, asked: Asked) -> None:
        """One pull less to wait for: look at the bounds when its step is complete, as a simulated run does."""
        self.open_by_step[asked.step] -= 1
        if not self.open_by_step[asked.step]:
            del self.open_by_step[asked.step]
            self.look()
        self.mind_the_budget()

    def look(self) -> None:
        """Do the rewards told so far decide? Not before every arm has had its warm-up."""
        if self.arms_not_warm:
            return
        self.kernels.ranker.refresh(self.state, self.steps + 1)
        step = self.pair_order.stop(self.kernels.ranker.rank(self.state), self.steps + 1)
        if step.status == verdicts.BEST and self.alone():
            self.finish(verdicts.UNDECIDED, -1)
        elif step.status != verdicts.UNDECIDED:
            self.finish(step.status, step.arm)

    @property
    def dropped(self) -> int:
        """How many arms were excluded after they gave results."""
        return sum(self.state.arms[arm].metric.pulls > 0.0 for arm in self.aside)

    def alone(self) -> bool:
        """Is there one arm left, because every other one was excluded? Then nothing shows that it is the best."""
        return 1 <= len(self.aside) == len(self.state.arms) - 1

    def mind_the_budget(self) -> None:
        if not self.in_flight and self.spent >= self.budget:
            self.finish(verdicts.UNDECIDED, -1)

    def finish(self, status: int, arm: int) -> None:
        if not self.finished:
            self.status, self.best, self.finished = status, int(arm), True
            self.watch.look(self.oldest())
            if arm >= 0:
                self.watch.look_at_best(self.best, self.state.arms[self.best])
            self.waiting.clear()

    def oldest(self) -> float:
        """The first pull in flight."""
        return next(iter(self.in_flight), math.inf)

    def finish_as(self, status: int, arm: int) -> None:
        """With the decision that a journal has, whatever ours is."""
        self.finish(verdicts.UNDECIDED, -1)
        self.status, self.best = status, arm

    def drop(self, number: int) -> None:
        """A pull in flight that no longer matters: everything is decided."""
        self.in_flight.pop(number, None)

    # --- what to pull

    def begin_step(self) -> bool:
        """Choose the pulls of a further step; whether there are any."""
        if self.in_flight and self.one_at_a_time:
            return False
        arms = self.warm_up() or self.choose()
        if arms:
            self.steps += 1
            self.open_by_step[self.steps] = len(arms)
            self.waiting.extend(Asked(arm, self.steps) for arm in arms)
        return bool(arms)

    def warm_up(self) -> list[int]:
        """The arms of the next step of the warm-up, but for those with rewards enough from elsewhere."""
        while pulls := self.kernels.warm_up(self.state, self.warm + 1):
            self.warm += 1
            arms = [int(arm) for arm in self.state.asked[:pulls]]
            arms = [
                arm for arm in arms if self.state.arms[arm].metric.pulls < self.warm_pulls and arm not in self.aside
            ]
            if arms:
                return arms
        if not self.counted and self.in_flight:  # with nothing told yet, go round the arms once more
            self.warm = 0
            return self.warm_up()
        return []

    def warm_up_pulls(self) -> int:
        """How many pulls of each arm the warm-up makes."""
        steps = pulls = 0
        while made := self.kernels.warm_up(self.state, steps + 1):
            steps, pulls = steps + 1, pulls + made
        return pulls // len(self.state.arms)

    def choose(self) -> list[int]:
        """The policy's choice, as if the pulls in flight had been told and had changed nothing but their number."""
        state, ranker = self.state, self.kernels.ranker
        if self.clocked or not self.true_uppers:
            self.stop_anticipating()
            ranker.refresh(state, self.steps + 1)
            for arm in self.queues:
                self.anticipate(arm)
        ranking = ranker.rank(state)
        for _ in range(TRIES):
            try:
                pulls = self.kernels.policy.choose(state, ranking, self.generator) if ranking.leader >= 0 else 0
            except Exception as error:
                if not self.program.own:
                    raise
                raise self.program.failed(error) from error
            pulls = ranker.add_owed(state, self.steps + 1, pulls)
            arms = [int(arm) for arm in state.asked[:pulls] if int(arm) not in self.aside]
            if arms or not pulls:
                return arms
        return [self.least_pulled()]

    def least_pulled(self) -> int:
        """What to pull when a policy wants set aside arms only: any choice keeps the guarantee, and this one gets on."""
        arms = self.state.arms
        left = [arm for arm in range(len(arms)) if arm not in self.aside]
        left = [arm for arm in left if arms[arm].verdict != verdicts.INFEASIBLE] or left
        return min(left, key=lambda arm: arms[arm].metric.pulls + len(self.queues.get(arm, ())))

    def anticipate(self, index: int) -> None:
        """Revise an arm's U for the pulls in its line; to less than any other, if it has no reward yet to go by."""
        arm, pending = self.state.arms[index], len(self.queues[index])
        if arm.verdict == verdicts.INFEASIBLE:
            return
        true = self.true_uppers.setdefault(index, arm.goal.upper)
        if arm.metric.pulls == 0.0:
            upper = -1e300 * pending
        else:
            bound, parameters = self.kernels.mean_bound, self.state.mean_parameters
            upper = min(true, bound.anticipate(arm.goal, arm.metric, parameters, pending, self.clock()))
        self.kernels.ranker.revise_upper(self.state, index, upper)

    def stop_anticipating(self) -> None:
        """Put every revised U back: only the rewards told decide."""
        for index, upper in self.true_uppers.items():
            self.kernels.ranker.revise_upper(self.state, index, upper)
        self.true_uppers.clear()

    def clock(self) -> float:
        """The clock's part of the radii, 1 where there is no clock."""
        clock: float = self.kernels.ranker.clock(self.state, self.steps + 1)
        return clock
