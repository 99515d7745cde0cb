"""What two arms show together, with pulls in flight: by rewards in the one order in which both arms' were asked for.

An arm's own bounds hold if its own rewards come in that order. For evidence on two arms this is not enough: which of their
rewards comes first may depend on what they are (docs/tight.md). So where an arm has rewards of pulls asked for after one
that is still in flight, of whatever arm that may still be the best, the arm's evidence from before those is kept as well.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from surefoot.core import records
from surefoot.core.state import Step
from surefoot.study.kernel_calls import Arms, Copies, KernelCalls
from surefoot.study.queues import Asked, trim


class PairOrder:
    """The pulls in the order they were asked for, and the arms as they were before the first that is waited for."""

    def __init__(self, calls: KernelCalls) -> None:
        kernels = calls.kernels
        self.baseline = kernels.folding.baseline
        # On items no order between arms matters.
        self.wanted: bool = (kernels.policy.PAIRS or self.baseline.COMPARES) and not calls.state.items
        # From the first pull in flight whose arm may still be the best.
        self.line: deque[Asked] = deque()
        # Of each arm with rewards from the line: its record as it was, in which only evidence that is compared is kept up.
        self.before: dict[int, Any] = {}
        self.passed: dict[int, int] = {}  # other pulls in flight, by number: the arm
        self.has_changed = False  # have these two changed since the last look?
        self.use(calls)

    def use(self, calls: KernelCalls) -> None:
        """Go on with these."""
        self.calls, self.waiting, self.has_changed = calls, calls.state.waiting, True
        # May the arm still be the best, or are others compared with it?
        self.ranked: Callable[[int], bool] = calls.is_ranked
        if self.baseline.COMPARES:  # no method of this object, which would then refer to itself
            self.ranked = partial(is_needed, calls, self.baseline)

    def asked(self, asked: Asked) -> None:
        if self.wanted:
            self.line.append(asked)
            self.waiting[asked.arm] += 1

    def told(self, asked: Asked) -> None:
        """To be said before the arm's record has the results, or `keep` could not tell that it is out of order."""
        if self.wanted and not (self.passed and self.is_passed(asked)):
            first = self.line[0]
            if asked is first or not self.ranked(first.arm):
                self.move_up()

    def taken_back(self, asked: Asked) -> None:
        if self.wanted and not self.is_passed(asked):
            trim(self.line)
            self.waiting[asked.arm] -= 1
            self.move_up()

    def is_passed(self, asked: Asked) -> bool:
        """Has the line passed the pull? Then it is waited for no longer."""
        if self.passed.pop(asked.number, None) is None:
            return False
        self.waiting[asked.arm] -= 1
        self.has_changed = True
        return True

    def move_up(self) -> None:
        """Let in the rewards at the head of the line."""
        line = self.line
        while line:
            asked = line[0]
            arm, results = asked.arm, asked.results
            if asked.is_gone:
                line.popleft()
                continue
            if results is None:
                if self.ranked(arm):
                    return
                self.passed[asked.number] = arm
                line.popleft()
                self.has_changed = True
                continue
            line.popleft()
            self.waiting[arm] -= 1
            if arm in self.before and self.calls.gather(arm, self.before[arm], results):
                del self.before[arm]
                self.has_changed = True

    def keep(self, asked: Asked) -> None:
        """Keep an arm as it is, if its record is about to have the reward of a pull that is still in the line."""
        if self.line and asked.moment >= self.line[0].moment and asked.arm not in self.before:
            self.before[asked.arm] = self.calls.keep_earlier(asked.arm)
            self.has_changed = True

    def look(self, t: int) -> Step:
        """Do the results decide? Of one arm all of them count; two arms are compared by those from before the line."""
        if self.line and not self.ranked(self.line[0].arm):
            self.move_up()
        if self.has_changed:
            self.calls.compare_by(self.before, self.passed)
            self.has_changed = False
        return self.calls.look(t)

    def restored(self) -> None:
        """The line, what it passed and the earlier records are there again."""
        self.has_changed = True
        for arm in (*(asked.arm for asked in self.line), *self.passed.values()):
            self.waiting[arm] += 1

    def copies(self) -> Arms:
        """The records by which arms may be compared now, for a look that changes nothing: copied when they are asked for."""
        before = {arm: records.copied(record) for arm, record in self.before.items()}
        return Arms(Copies(self.calls.state.arms), before, set(self.passed.values()))


def is_needed(calls: KernelCalls, baseline: Any, arm: int) -> bool:
    return calls.is_ranked(arm) or baseline.needs(calls.state.limit_parameters, arm)
