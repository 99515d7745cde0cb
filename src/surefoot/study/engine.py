"""The kernels at work on a live problem: what was asked, told, recorded and abandoned comes to, and what it decides.

`Queues` has the pulls and the order in which results count, `Chooser` which arms to pull next. What was asked for after a
pull in flight does not yet count for comparing two arms (`PairOrder`).
"""

import math
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from surefoot.core import live, verdicts
from surefoot.core.assembly import rounds_apart
from surefoot.core.state import Results, State
from surefoot.errors import PartFailed
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from surefoot.study.chooser import Chooser
from surefoot.study.item_queues import ItemQueues
from surefoot.study.kernel_calls import Compiled, Interpreted, KernelCalls
from surefoot.study.pair_order import PairOrder
from surefoot.study.queues import Asked, Queues
from surefoot.study.recommender import Recommender
from surefoot.study.watch import EVERY, Watch

MOST_COMPILED = 1_000  # arms of a study that may change over to compiled kernels


class Wanted(NamedTuple):
    """Pulls whose arms are yet to be chosen: so many, or those of one step."""

    pulls: int | None


class Engine:
    """The kernels' state of a study, on their scale."""

    def __init__(self, problem: Problem, policy: str, bounds: str, seed: int) -> None:
        from surefoot.problem import choice  # with the first study, and not before: it loads the kernels of all parts

        self.program = choice.program(problem, policy, bounds).displayed
        self.question = question = question_of(problem)
        self.calls: KernelCalls = Interpreted(self.program, question, seed)
        self.recommender = Recommender(self.program, question)
        self.max_pulls = math.inf if problem.max_pulls is None else problem.max_pulls
        self.metrics = len(problem.deciding_metrics)  # of each result that the kernels see
        self.one_at_a_time = self.program.policy.ONE_AT_A_TIME
        self.queues = ItemQueues(self.state.items) if self.program.items else Queues()
        self.in_flight = self.queues.in_flight  # the pulls handed out, neither told nor abandoned, by number
        self.items, self.order = problem.items, problem.items.order(seed) if problem.items else None
        self.in_rounds = problem.items is not None and problem.items.rounds
        self.seed = seed
        self.chooser = Chooser(self.program, self.calls, self.queues)
        self.warm_pulls = self.chooser.warm_pulls  # of each arm
        self.pair_order = PairOrder(self.calls)
        self.baseline = question.baseline  # the arm that limits are against; -1 if none is
        self.watch = Watch(problem)
        self.steps = 0  # begun
        self.counted = 0  # results folded into bounds
        self.arms_not_warm = len(problem.arms)  # arms with fewer results than the warm-up makes
        self.aside: dict[int, str] = {}  # the arms excluded, and why
        self.failures: dict[int, int] = {}  # of each arm, the pulls that failed: told as a failure, or tried again
        self.clipped: dict[int, dict[str, int]] = {}  # of each arm, by metric, the values beyond the range
        self.expired: dict[int, int] = {}  # of each arm, the pulls that others replaced because they were not heard of
        self.status, self.best, self.finished = verdicts.UNDECIDED, -1, False

    @cached_property
    def can_be_compiled(self) -> bool:
        """May it change over to compiled kernels while it goes on?

        Not where arms have items in common, whose results are kept in lists that grow; not with a user's own parts; and not
        where the last bit of a number could be another one. A change takes 70 microseconds an arm.
        """
        if self.program.items or self.program.own or len(self.state.arms) > MOST_COMPILED:
            return False
        return not rounds_apart(live, self.program.parts)

    @property
    def is_compiled(self) -> bool:
        return isinstance(self.calls, Compiled)

    def compile(self) -> None:
        """Go on with compiled kernels."""
        compiled = Compiled(self.program, self.question, self.metrics, self.calls)
        before = self.pair_order.before
        before.update({arm: compiled.taken_over(arm, record) for arm, record in before.items()})
        self.calls = self.chooser.calls = compiled
        self.pair_order.use(compiled)

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
        """The pulls of one step, or `count` pulls, as far as `max_pulls` allows."""
        arms: list[int] = []
        try:
            while not self.finished and self.queues.spent < self.max_pulls and (count is None or len(arms) < count):
                if not self.queues.chosen:
                    most = 1 if count is None else int(min(count - len(arms), self.max_pulls - self.queues.spent))
                    if (count is None and arms) or not self.begin_steps(most):
                        break
                    continue
                asked = self.queues.chosen.popleft()
                if not self.queues.has_item(asked.arm):
                    self.queues.done_with(asked)
                    continue
                self.hand_out_one(first + len(arms), asked)
                arms.append(asked.arm)
        finally:
            self.chooser.stop_anticipating()
        return arms

    def begin_steps(self, most: int) -> bool:
        """Choose the pulls of a further step, or of several if each has one pull; whether there are any."""
        if self.in_flight and (self.one_at_a_time or self.in_rounds):
            return False
        steps = self.chooser.next_steps(self.steps + 1, most, self.aside)
        for arms in steps:
            self.steps += 1
            self.queues.choose(arms, self.steps)
        return bool(steps)

    def hand_out_instead(self, first: int, arms: list[int]) -> None:
        """Other pulls than those just handed out: a step of their own.

        A journal has such as were chosen by another version or another machine's arithmetic, or by another policy of the
        user's own.
        """
        for number in reversed([number for number in self.in_flight if number >= first]):
            asked = self.queues.undo(number)
            self.pair_order.taken_back(asked)
            self.fold(asked.arm)
            self.queues.chosen.append(asked)
        self.queues.forget_chosen()
        for arm in arms if self.in_rounds and not self.in_flight else ():
            self.comparison.join_round(self.state, arm)
        self.steps += 1
        self.queues.choose(arms, self.steps)
        self.state.asked[0] = arms[-1]
        for number in range(first, first + len(arms)):
            self.hand_out_one(number, self.queues.chosen.popleft())

    def hand_out_one(self, number: int, asked: Asked) -> None:
        self.queues.hand_out(number, asked)
        self.pair_order.asked(asked)
        self.chooser.fresh.append(asked.arm)

    def tell(self, number: int, results: Results) -> None:
        """What a pull in flight came to."""
        asked = self.queues.tell(number, results)
        self.pair_order.told(asked)
        self.fold(asked.arm)
        self.done_with(asked)

    def abandon(self, number: int) -> None:
        """A pull whose result will never come: those behind it move up."""
        asked = self.queues.take_back(number)
        self.pair_order.taken_back(asked)
        self.fold(asked.arm)
        self.done_with(asked)

    def replace(self, number: int) -> None:
        """A pull that failed, or was not heard of for too long: a fresh one, handed out before any further step, takes its
        place: on the same item, where arms are tried on items.
        """
        asked = self.queues.lose(number)
        self.pair_order.taken_back(asked)
        self.fold(asked.arm)
        self.queues.chosen.append(asked.again())
        self.look()

    def note_failure(self, arm: int) -> None:
        self.failures[arm] = self.failures.get(arm, 0) + 1

    def note_clipped(self, arm: int, metric: str, count: int = 1) -> None:
        by_metric = self.clipped.setdefault(arm, {})
        by_metric[metric] = by_metric.get(metric, 0) + count

    def note_expired(self, arm: int) -> None:
        self.expired[arm] = self.expired.get(arm, 0) + 1

    def record(self, arm: int, results: Results) -> None:
        """A result nobody asked for: a step of its own, asked for and told at once."""
        self.steps += 1
        asked = self.queues.record(arm, results, self.steps)
        self.pair_order.asked(asked)
        self.pair_order.told(asked)
        self.fold(arm)
        if not self.in_flight:  # what was chosen before may no longer be what to pull
            self.queues.forget_chosen()
            self.chooser.warm = 0
        self.look()
        self.mind_the_end()

    def set_aside(self, arm: int, why: str) -> None:
        """Go on without an arm that has no pulls in flight."""
        self.arms_not_warm -= self.state.arms[arm].metric.pulls < self.warm_pulls
        self.aside[arm] = why
        self.queues.forget_arm(arm)
        self.kernels.ranker.leave_out(self.state, arm)
        if len(self.aside) == len(self.state.arms) or arm == self.baseline:
            self.finish(verdicts.UNDECIDED, -1)
        self.look()
        self.mind_the_end()

    # --- what it decides

    def fold(self, arm: int) -> None:
        """Let in the results at the head of an arm's queue."""
        fold, watch, is_portion = self.calls.fold, self.watch, False
        while asked := self.queues.next_told(arm):
            if not (results := asked.results):
                self.kernels.folding.leave_out(self.state, arm)
                continue
            self.pair_order.keep(asked)
            pulls = fold(arm, results)
            if watch.observe(arm, pulls, asked.moment, results[0]):
                watch.take(arm, self.state.arms[arm])
            self.counted += 1
            is_portion = is_portion or not self.counted % EVERY
            if self.arms_not_warm and pulls == self.warm_pulls and arm not in self.aside:
                self.arms_not_warm -= 1
        if is_portion:
            # Not before the whole queue is in: all that precedes the oldest pull is then there.
            self.watch.gather(self.queues.oldest())

    def done_with(self, asked: Asked) -> None:
        """One pull less to wait for: look at the bounds when its step is complete, as a simulated run does."""
        if self.queues.done_with(asked):
            self.look()
        if not self.in_flight:
            self.mind_the_end()

    def look(self) -> None:
        """Do the results told so far decide? Not before every arm has had its warm-up."""
        if self.arms_not_warm:
            return
        step = self.pair_order.look(self.steps + 1)
        if step.status == verdicts.UNDECIDED:
            return
        if step.status == verdicts.BEST and self.one_arm_left:
            self.finish(verdicts.UNDECIDED, -1)
        else:
            self.finish(step.status, step.arm)

    def mind_the_end(self) -> None:
        """Nothing more comes once `max_pulls` are made, or the items are used up."""
        if not self.in_flight and (self.queues.spent >= self.max_pulls or (self.items and not self.has_items)):
            self.finish(verdicts.UNDECIDED, -1)

    @property
    def has_items(self) -> bool:
        """Has an arm that is in play anything left to be tried on?"""
        if self.items is None or math.isinf(self.items.last):
            return True
        left = (arm for arm in range(len(self.state.arms)) if self.queues.has_item(arm))
        return any(not self.is_out(arm) for arm in left)

    @property
    def items_done(self) -> int | None:
        """How far the arm that is farthest has gone through the items; None where arms have none in common."""
        return None if self.items is None else int(self.state.items.most[0])

    def is_out(self, arm: int) -> bool:
        record = self.state.arms[arm]
        return bool(record.verdict == verdicts.INFEASIBLE or record.beaten_by > 0)

    def item(self, asked: Asked) -> int | None:
        """The item of a pull, by its number in the list; None where arms have none in common."""
        return None if asked.place < 0 else self.item_at(asked.place)

    def next_item(self, arm: int, ahead: int = 0) -> int | None:
        """The first item that no pull of the arm was asked for on, or so many after it; None if there is none."""
        place = self.state.items.given[arm] + ahead
        return self.item_at(place) if place < self.state.items.last else None

    def item_at(self, place: int) -> int:
        return self.items.at(place, self.order, self.seed) if self.items else place

    def finish(self, status: int, arm: int) -> None:
        if not self.finished:
            self.status, self.best, self.finished = status, int(arm), True
            self.watch.look(self.queues.oldest())
            if arm >= 0:
                self.watch.look_at_best(self.best, self.state.arms[self.best])
            self.queues.chosen.clear()

    def finish_as(self, status: int, arm: int) -> None:
        """With the decision that a journal has, whatever ours is."""
        self.finish(verdicts.UNDECIDED, -1)
        self.status, self.best = status, arm

    def drop(self, number: int) -> None:
        """A pull in flight that no longer matters: everything is decided."""
        self.in_flight.pop(number, None)

    # --- what can be asked of it

    @property
    def state(self) -> State:
        """What the kernels know."""
        return self.calls.state

    @property
    def kernels(self) -> Any:
        return self.calls.kernels

    @property
    def comparison(self) -> Any:
        """What compares two arms."""
        return self.kernels.folding.comparison

    @property
    def spent(self) -> int:
        """Pulls handed out or recorded, less those given up."""
        return self.queues.spent

    @property
    def dropped(self) -> int:
        """How many arms were excluded after they gave results."""
        return sum(self.state.arms[arm].metric.pulls > 0.0 for arm in self.aside)

    @property
    def one_arm_left(self) -> bool:
        """Is there one arm left, because every other one was excluded? Then nothing shows that it is the best."""
        return 1 <= len(self.aside) == len(self.state.arms) - 1

    @property
    def moment(self) -> tuple[Any, ...]:
        """Another one whenever something happened that a recommendation may depend on."""
        handed_out, flying = self.queues.handed_out, len(self.in_flight)
        return self.counted, self.steps, handed_out, flying, len(self.aside), self.finished, self.status, self.best

    def clock(self) -> float:
        """The clock's part of the radii, 1 where there is no clock."""
        clock: float = self.kernels.ranker.clock(self.state, self.steps + 1)
        return clock
