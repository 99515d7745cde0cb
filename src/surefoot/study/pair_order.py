"""What two arms show together, with pulls in flight: by rewards in the one order in which both arms' were asked for.

An arm's own bounds hold if its own rewards come in that order. For evidence on two arms this is not enough: which of their
rewards comes first may depend on what they are (docs/tight.md). So where an arm has rewards of pulls asked for after one
that is still in flight, of whatever arm that may still be the best, the arm's evidence from before those is kept as well.
"""

from collections import OrderedDict
from typing import Any

from surefoot.core import records
from surefoot.core.state import Results, Step
from surefoot.study.kernel_calls import Arms, Copies, KernelCalls


class PairOrder:
    """The pulls in the order they were asked for, and the arms as they were before the first that is waited for."""

    def __init__(self, calls: KernelCalls) -> None:
        self.calls, kernels = calls, calls.kernels
        self.baseline = kernels.folding.baseline
        # On items no order between arms matters.
        self.wanted: bool = (kernels.policy.PAIRS or self.baseline.COMPARES) and not calls.state.items
        # From the first pull in flight whose arm may still be the best, by number: the arm, and the results if told.
        self.line: OrderedDict[int, tuple[int, Results | None]] = OrderedDict()
        self.first = 0, -1  # of the line: the number and the arm
        # Of each arm with rewards from the line: its record as it was, in which only evidence that is compared is kept up.
        self.before: dict[int, Any] = {}
        self.passed: dict[int, int] = {}  # other pulls in flight, by number: the arm
        self.has_changed = False  # have these two changed since the last look?

    def asked(self, number: int, arm: int) -> None:
        if self.wanted:
            if not self.line:
                self.first = number, arm
            self.line[number] = arm, None
            self.calls.state.waiting[arm] += 1

    def told(self, number: int, arm: int, results: Results) -> None:
        """To be said before the arm's record has the results, or `keep` could not tell that it is out of order."""
        if self.wanted and not (self.passed and self.is_passed(number, arm)):
            self.line[number] = arm, results
            first, its_arm = self.first
            if number == first or not self.ranked(its_arm):
                self.move_up()

    def taken_back(self, number: int, arm: int) -> None:
        if self.wanted and not self.is_passed(number, arm):
            del self.line[number]
            self.calls.state.waiting[arm] -= 1
            self.move_up()

    def is_passed(self, number: int, arm: int) -> bool:
        """Has the line passed the pull? Then it is waited for no longer."""
        if self.passed.pop(number, None) is None:
            return False
        self.calls.state.waiting[arm] -= 1
        self.has_changed = True
        return True

    def move_up(self) -> None:
        """Let in the rewards at the head of the line."""
        while self.line:
            number, (arm, results) = next(iter(self.line.items()))
            if results is None:
                if self.ranked(arm):
                    self.first = number, arm
                    return
                self.passed[number] = arm
                del self.line[number]
                self.has_changed = True
                continue
            del self.line[number]
            self.calls.state.waiting[arm] -= 1
            if arm in self.before and self.calls.gather(arm, self.before[arm], results):
                del self.before[arm]
                self.has_changed = True

    def ranked(self, arm: int) -> bool:
        """May the arm still be the best, or are others compared with it?"""
        return self.calls.is_ranked(arm) or self.baseline.needs(self.calls.state.limit_parameters, arm)

    def keep(self, number: int, arm: int) -> None:
        """Keep an arm as it is, if its record is about to have the reward of a pull that is still in the line."""
        if number in self.line and arm not in self.before:
            self.before[arm] = self.calls.keep_earlier(arm)
            self.has_changed = True

    def look(self, t: int) -> Step:
        """Do the results decide? Of one arm all of them count; two arms are compared by those from before the line."""
        if self.line and not self.ranked(self.first[1]):
            self.move_up()
        if self.has_changed:
            self.calls.compare_by(self.before, self.passed)
            self.has_changed = False
        return self.calls.look(t)

    def restored(self) -> None:
        """The line, what it passed and the earlier records are there again."""
        self.has_changed = True
        for number, (arm, _) in self.line.items():
            self.first = number, arm
            break
        waiting = self.calls.state.waiting
        for arm in (*(arm for arm, _ in self.line.values()), *self.passed.values()):
            waiting[arm] += 1

    def copies(self) -> Arms:
        """The records by which arms may be compared now, for a look that changes nothing: copied when they are asked for."""
        before = {arm: records.copied(record) for arm, record in self.before.items()}
        return Arms(Copies(self.calls.state.arms), before, set(self.passed.values()))
