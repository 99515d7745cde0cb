"""A program: one policy with one family of bounds and one risk test, ready to assemble and to start."""

import math
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from surefoot.core import records
from surefoot.core.question import Question
from surefoot.core.state import Standing, State
from surefoot.errors import InvalidValue, PartFailed


class Program(NamedTuple):
    policy: ModuleType
    standings: ModuleType
    mean_bound: ModuleType
    risk_test: ModuleType

    @property
    def parts(self) -> dict[str, ModuleType]:
        return self._asdict()

    @property
    def own(self) -> list[str]:
        """The parts that are the user's own, as they are called."""
        names = [(key, part.__name__) for key, part in self.parts.items() if part.__name__.startswith("surefoot.own.")]
        return [f"the {key.replace('_', ' ')} {name.rsplit('.', 1)[-1]!r}" for key, name in names]

    def failed(self, error: Exception) -> PartFailed:
        """The sentence for an error of the user's own parts."""
        if isinstance(error, InvalidValue):  # of a policy, the first of them, that chose what cannot be
            return PartFailed(f"{self.own[0]} {error}")
        return PartFailed(f"{' or '.join(self.own)} failed: {type(error).__name__}: {error}")

    def declarations(self, exhibited: bool) -> tuple[type, ...]:
        own = getattr(self.policy, "Evidence", Standing)  # what a policy keeps of an arm itself
        shown = (self.risk_test.Exhibit,) if exhibited else ()
        return Standing, self.mean_bound.Evidence, self.risk_test.Evidence, own, *shown

    def layout(self, exhibited: bool) -> np.dtype[np.void]:
        """Of the packed records."""
        return records.layout(*self.declarations(exhibited))

    def start(self, question: Question, packed: bool, exhibited: bool = False) -> State:
        """The state before the first step: on packed records for a compiled program, on plain ones otherwise.

        Plain records also have what people see of the risk; packed ones if it is to be `exhibited`.
        """
        arms: Any
        if packed:
            arms = np.zeros(question.arms, self.layout(exhibited))
            arms["lower"], arms["upper"] = -math.inf, math.inf
        else:
            record = records.plain_record(*self.declarations(exhibited=True))
            arms = [record() for _ in range(question.arms)]
            for arm in arms:
                arm.lower, arm.upper = -math.inf, math.inf
        board = self.standings.board(question.arms)
        return State(
            arms=arms,
            board=board if packed else type(board)(*(array.tolist() for array in board)),
            mean_parameters=self.mean_bound.parameters(question),
            risk_parameters=self.risk_test.parameters(question, self.mean_bound.budget(question)),
            tolerance=question.tolerance,
            highest=question.highest,
            asked=np.zeros(question.arms + 2, dtype=np.int64) if packed else [0] * (question.arms + 2),
        )
