"""What two arms show together, with pulls in flight: by rewards in the one order in which both arms' were asked for.

An arm's own bounds hold if its own rewards come in that order. For evidence on two arms this is not enough: which of their
rewards comes first may depend on what they are (docs/tight.md). So where an arm has rewards of pulls asked for after one
that is still in flight, of whatever arm that may still be the best, the arm's evidence from before those is kept as well.
"""

from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType
from typing import Any

from surefoot.core import records, statistics, verdicts
from surefoot.core.state import Ranking, Results, State, Step


class PairOrder:
    """The pulls in the order they were asked for, and the arms as they were before the first that is waited for."""

    def __init__(self, kernels: ModuleType, state: State) -> None:
        self.kernels, self.state = kernels, state._replace(waiting=Waiting(self))
        # On items no order between arms matters.
        self.wanted: bool = (kernels.policy.PAIRS or kernels.folding.baseline.COMPARES) and not state.items
        # From the first pull in flight whose arm may still be the best, by number: the arm, and the results if told.
        self.line: OrderedDict[int, tuple[int, Results | None]] = OrderedDict()
        # Of each arm with rewards from the line: its record as it was, in which only evidence that is compared is kept up.
        self.before: dict[int, Any] = {}
        self.passed: dict[int, int] = {}  # other pulls in flight, by number: the arm

    def asked(self, number: int, arm: int) -> None:
        if self.wanted:
            self.line[number] = arm, None

    def told(self, number: int, arm: int, results: Results) -> None:
        """To be said before the arm's record has the results, or `keep` could not tell that it is out of order."""
        if self.wanted and self.passed.pop(number, None) is None:
            self.line[number] = arm, results
            self.move_up()

    def taken_back(self, number: int) -> None:
        if self.wanted and self.passed.pop(number, None) is None:
            del self.line[number]
            self.move_up()

    def move_up(self) -> None:
        """Let in the rewards at the head of the line."""
        while self.line:
            number, (arm, results) = next(iter(self.line.items()))
            if results is None:
                if self.ranked(arm):
                    return
                self.passed[number] = arm
            del self.line[number]
            if arm in self.before and results is not None:
                record = self.before[arm]
                self.kernels.folding.gather(record, self.state, results, statistics.guess(record.metric))
                if record.metric.pulls == self.state.arms[arm].metric.pulls:
                    del self.before[arm]

    def ranked(self, arm: int) -> bool:
        """May the arm still be the best, or are others compared with it?"""
        if self.kernels.folding.baseline.needs(self.state.limit_parameters, arm):
            return True
        record = self.state.arms[arm]
        return record.verdict != verdicts.INFEASIBLE and not record.beaten_by

    def keep(self, number: int, arm: int) -> None:
        """Keep an arm as it is, if its record is about to have the reward of a pull that is still in the line."""
        if number in self.line and arm not in self.before:
            self.before[arm] = records.copied(self.state.arms[arm])
            self.before[arm].limit = self.state.arms[arm].limit  # what was found of its limits is known of the arm

    def stop(self, ranking: Ranking, t: int) -> Step:
        """What the policy says: of an arm by all that is known of it, of two together by the rewards before the line."""
        if self.line:
            self.move_up()
        stop: Callable[..., Step] = self.kernels.policy.stop
        if not self.before and not self.passed:  # nearly always
            return stop(self.state, ranking, t)
        arms = Arms(self.state.arms, self.before, set(self.passed.values()))
        step = stop(self.state._replace(arms=arms), ranking, t)
        for arm, record in arms.used.items():
            known = self.state.arms[arm]
            known.beaten_by, known.verdict = record.beaten_by, record.verdict
            if record.order != known.order:
                known.order, known.since = record.order, record.since
                self.kernels.ranker.start_if_due(self.state, arm)
        return step

    def copies(self) -> "Arms":
        """The records by which arms may be compared now, for a look that changes nothing: copied when they are asked for."""
        before = {arm: records.copied(record) for arm, record in self.before.items()}
        return Arms(Copies(self.state.arms), before, set(self.passed.values()))


class Waiting:
    """Of each arm, the pulls asked for that are not in the record by which it is compared."""

    def __init__(self, order: "PairOrder") -> None:
        self.order = order

    def __getitem__(self, arm: int) -> int:
        line, passed = self.order.line.values(), self.order.passed.values()
        return sum(other == arm for other, _ in line) + sum(other == arm for other in passed)


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
