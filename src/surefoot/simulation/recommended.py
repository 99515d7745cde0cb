"""What a run that ends undecided would recommend: by the kernels of studies, compiled when the first such run ends."""

import threading
from typing import Any, NamedTuple

from surefoot.core import confidence, recommending, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.state import State
from surefoot.simulation.kernel import Progress
from surefoot.simulation.loading import first_called


class Recommended(NamedTuple):
    recommended: int  # an arm, NO_ARM or NOTHING_YET
    confidence: float


class Kernels(NamedTuple):
    guess: Any
    doubt: Any


COMPILED: dict[Program, Kernels] = {}  # in this process
COMPILING = threading.Lock()


class Recommender:
    """For the runs of one program on one question; threads may share it."""

    def __init__(self, program: Program, question: Question, compiled: bool) -> None:
        self.program, self.question, self.compiled = program, question, compiled
        self.ladder = confidence.Ladder(program, question)

    def __call__(self, state: State, end: Progress) -> Recommended:
        """Of a run that is over: its state may be settled in place."""
        delta = self.question.delta
        if end.status != verdicts.UNDECIDED:
            arm = int(end.arm) if end.status == verdicts.BEST else recommending.NO_ARM
            return Recommended(arm, confidence.stated(self.program, delta, 0))
        try:
            kernels = self.kernels()
            arm = int(kernels.guess(state))
            if arm == recommending.NOTHING_YET:
                return Recommended(arm, 0.0)
            alpha = confidence.level(self.ladder, kernels.doubt, state, state.arms, arm)
        except Exception as error:
            if not self.program.own:
                raise
            raise self.program.failed(error) from error
        return Recommended(arm, confidence.stated(self.program, alpha, 0))

    def kernels(self) -> Kernels:
        if not self.compiled:
            module = assemble(recommending, self.program.parts)
            return Kernels(module.guess, module.doubt)
        with COMPILING:
            if self.program not in COMPILED:
                state = self.program.start(self.question, packed=True)
                nothing = (state, state.arms, recommending.NO_ARM, len(state.arms))
                guess = first_called(recommending, "guess", self.program, (state,))
                doubt = first_called(recommending, "doubt", self.program, nothing) if self.ladder else None
                COMPILED[self.program] = Kernels(guess, doubt)
            return COMPILED[self.program]
