"""The answer one would give now: found when somebody looks, and kept until there is something new to see."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from surefoot.core import confidence, recommending, verdicts
from surefoot.core.confidence import Ladder
from surefoot.core.program import Program
from surefoot.core.question import Question

if TYPE_CHECKING:
    from surefoot.study.engine import Engine


class Found(NamedTuple):
    arm: int  # or NO_ARM, or NOTHING_YET
    confidence: float


class Recommender:
    def __init__(self, program: Program, question: Question) -> None:
        self.program, self.question = program, question
        self.kept: tuple[Any, Found] | None = None  # at which moment it was found

    @cached_property
    def kernels(self) -> Any:
        return self.program.kernels(recommending)

    @cached_property
    def ladder(self) -> Ladder:
        return confidence.Ladder(self.program, self.question)

    def __call__(self, engine: "Engine") -> Found:
        moment = engine.moment
        if self.kept is None or self.kept[0] != moment:
            self.kept = moment, self.found(engine)
        return self.kept[1]

    def found(self, engine: "Engine") -> Found:
        if engine.status != verdicts.UNDECIDED:
            arm = engine.best if engine.status == verdicts.BEST else recommending.NO_ARM
            return Found(arm, confidence.stated(self.program, self.question.delta, engine.dropped))
        if len(engine.aside) == len(engine.state.arms):
            return Found(recommending.NOTHING_YET, 0.0)
        try:
            return self.guessed(engine)
        except Exception as error:
            if not self.program.own:
                raise
            raise self.program.failed(error) from error

    def guessed(self, engine: "Engine") -> Found:
        arm = int(self.kernels.guess(engine.state))
        # With one arm left, nothing was compared; without the baseline, nothing can be compared with it.
        if arm == recommending.NOTHING_YET or engine.one_arm_left or engine.baseline in engine.aside:
            return Found(arm, 0.0)
        compared = engine.pair_order.copies()
        alpha = confidence.level(self.ladder, self.kernels.doubt, engine.state, compared, arm)
        return Found(arm, confidence.stated(self.program, alpha, engine.dropped))
