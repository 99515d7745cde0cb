"""Which arms to pull next: those of the warm-up, then the policy's choice.

Pulls in flight count for choosing further ones: the policy sees the bounds as if these had been told and had changed nothing
but their number. Without any, a study takes the very steps of a simulated run.
"""

from collections.abc import Collection

from surefoot.core import verdicts
from surefoot.core.program import Program
from surefoot.study.kernel_calls import KernelCalls
from surefoot.study.queues import Queues

TRIES = 1_000  # of a policy that chooses excluded arms; so many that one that draws them keeps its distribution


class Chooser:
    def __init__(self, program: Program, calls: KernelCalls, queues: Queues) -> None:
        self.program, self.calls, self.queues = program, calls, queues
        self.warm = 0  # steps of the warm-up begun
        self.warm_steps, self.warm_pulls = self.warm_up_length()
        self.in_rounds = bool(calls.state.items and calls.state.items.rounds)
        self.is_told = False  # is any result?
        self.anticipates = False  # do U stand revised, while further pulls are chosen?
        self.fresh: list[int] = []  # the arms of pulls that were handed out since then
        self.is_clocked = program.ranker.CLOCKED
        # Can steps be chosen one after the other, with nothing to see to in between?
        self.several = not (program.items or program.own or self.is_clocked or program.policy.ONE_AT_A_TIME)

    def next_steps(self, t: int, most: int, aside: Collection[int]) -> list[list[int]]:
        """The arms of step t; or of up to `most` steps, if each has one pull."""
        if self.warm < self.warm_steps or not self.is_told:
            if arms := self.first_round(aside) if self.in_rounds and not self.warm else self.warm_up(aside):
                return [arms]
        self.anticipate(t)
        if self.several and self.is_told and most > 1 and not aside:
            return self.calls.choose_several(most, t)
        arms = self.policy_choice(t, aside)
        return [arms] if arms else []

    # --- the warm-up

    def first_round(self, aside: Collection[int]) -> list[int]:
        """All arms, in random order: a warm-up that is a round as any other."""
        arms = range(len(self.calls.state.arms))
        self.warm = self.warm_pulls * len(arms)
        return [int(arm) for arm in self.calls.generator.permutation(arms) if arm not in aside]

    def warm_up(self, aside: Collection[int]) -> list[int]:
        """The arms of the next step of the warm-up, but for those with rewards enough from elsewhere."""
        while self.warm < self.warm_steps:
            self.warm += 1
            pulls = self.calls.kernels.warm_up(self.calls.state, self.warm)
            arms = [int(arm) for arm in self.calls.state.asked[:pulls]]
            arms = [
                arm for arm in arms if self.calls.state.arms[arm].metric.pulls < self.warm_pulls and arm not in aside
            ]
            arms = [arm for arm in arms if self.queues.has_item(arm)]
            if arms:
                return arms
        self.is_told = self.is_told or any(arm.metric.pulls for arm in self.calls.state.arms)
        if not self.is_told and self.queues.in_flight and self.has_items(aside):
            self.warm = 0  # with nothing told yet, go round the arms once more
            return self.warm_up(aside)
        return []

    def has_items(self, aside: Collection[int]) -> bool:
        """Is there anything left to try an arm on?"""
        return any(self.queues.has_item(arm) for arm in range(len(self.calls.state.arms)) if arm not in aside)

    def warm_up_length(self) -> tuple[int, int]:
        """How many steps the warm-up has, and how many pulls of each arm it makes."""
        steps = pulls = 0
        while made := self.calls.kernels.warm_up(self.calls.state, steps + 1):
            steps, pulls = steps + 1, pulls + made
        return steps, pulls // len(self.calls.state.arms)

    # --- the policy's choice

    def policy_choice(self, t: int, aside: Collection[int]) -> list[int]:
        """What the policy chooses."""
        for _ in range(TRIES):
            try:
                chosen = self.calls.choose(t)
            except Exception as error:
                if not self.program.own:
                    raise
                raise self.program.failed(error) from error
            arms = [arm for arm in chosen if arm not in aside]
            if arms or not chosen:
                return arms
        return self.least_pulled(aside)

    def least_pulled(self, aside: Collection[int]) -> list[int]:
        """What to pull when a policy wants excluded arms only: any choice keeps the guarantee, and this one gets on."""
        arms = self.calls.state.arms
        left = [arm for arm in range(len(arms)) if arm not in aside and self.queues.has_item(arm)]
        left = [arm for arm in left if arms[arm].verdict != verdicts.INFEASIBLE] or left
        return sorted(left, key=lambda arm: arms[arm].metric.pulls + self.queues.length(arm))[:1]

    # --- bounds as if the pulls in flight had been told

    def anticipate(self, t: int) -> None:
        """Have the ranking see the arms as if all pulls in flight had been told."""
        if self.is_clocked:
            self.stop_anticipating()
            self.calls.refresh(t)
        for arm in self.fresh if self.anticipates else self.queues.arms():
            self.calls.anticipate(arm, self.queues.length(arm), t)
        self.anticipates = True
        self.fresh.clear()

    def stop_anticipating(self) -> None:
        """Only the results told decide."""
        if self.anticipates:
            self.calls.stop_anticipating()
            self.anticipates = False
        self.fresh.clear()
