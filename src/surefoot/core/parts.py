"""The plug points: what a module must have to be a mean bound, a limit test, an answer, a ranker or a policy.

A module is one of these parts if it has what the Protocol says; mypy compares them where `registry` names the modules. What
only some modules can do is an attribute with a value in every module, so that nobody has to ask what a module is.
Functions that are called once, before the first step, take the `Question`; kernels take records and the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from surefoot.core.error_budget import ErrorBudget, LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Ranking, Results, State, Step
from surefoot.core.statistics import Statistics


class Nothing(Protocol):
    """The declaration of a record where nothing is kept."""


class MeanBound(Protocol):
    """Between what an arm's mean lies. Sees one arm: `own` is what it declares in `Evidence`, with L and U in it."""

    CONTROL: float  # radii shrunk by this factor fail too often: the tests' negative control
    FOLLOWS_VARIANCE: bool  # are radii smaller where the variance is?
    PAIRS: bool  # does it compare arms in pairs too? Then it is a PairedBound
    STARTS: bool  # can the evidence for an arm start anew when it leads?
    OWN: str  # the name that its user gave it; empty: it came with Surefoot

    @property
    def Evidence(self) -> type: ...

    @property
    def refuses(self) -> Callable[[Question], str] | None:
        """Why the bounds cannot be used for a question, or nothing; None if there is no such question."""

    @property
    def own_budget(self) -> Callable[[Question], ErrorBudget] | None:
        """How often its bounds may fail, where its radii are fixed. None: as often as the answer's error budget says."""

    def parameters(self, question: Question, error_budget: ErrorBudget) -> Any: ...

    def warm_up(self, parameters: Any, asked: list[int], arms: int, t: int) -> int:
        """Write the pulls of step t into `asked`, if it belongs to the warm-up; how many they are."""

    def observe(self, own: Any, metric: Statistics, parameters: Any, reward: float) -> None:
        """Fold one reward in, once the metric's statistics hold it."""

    def interval(self, own: Any, metric: Statistics, parameters: Any, clock: float) -> tuple[float, float]:
        """L and U from the rewards so far. `clock` is the clock's part of the radii, 1 where there is no clock."""

    def interval_at(self, own: Any, metric: Statistics, parameters: Any) -> tuple[float, float]:
        """L and U from all rewards so far, at levels that may be others than those `own` was kept at: for confidence in a
        recommendation. It may settle `own` in place.
        """

    def anticipate(self, own: Any, metric: Statistics, parameters: Any, pending: float, clock: float) -> float:
        """U after so many more rewards, about: it serves to choose, never to stop."""


class ClockedBound(MeanBound, Protocol):
    """With radii that also follow a clock: for the ranker called `scan`."""

    def tick(self, parameters: Any, t: int) -> float:
        """The clock's part of the radii at step t."""

    def owed(self, own: Any, parameters: Any, clock: float) -> bool:
        """Must the arm be pulled at this step, whatever the policy chose?"""


class PairedBound(MeanBound, Protocol):
    """With evidence on two arms together: for policies with PAIRS."""

    def start_anew(self, own: Any, metric: Statistics) -> None:
        """Let the evidence that the arm is better than others start here."""

    def renewal(self, arm: Any) -> float:
        """Grows whenever there is something new to see."""

    def variances_of_means(self, first: Any, second: Any, margin: float = 0.0) -> tuple[float, float]:
        """How badly the means are known, in variances."""

    def pair_log_evidence(self, first: Any, second: Any, parameters: Any, margin: float = 0.0) -> float:
        """ln of the evidence that the first arm's mean and the margin are above the second's mean."""


class EvidentBound(MeanBound, Protocol):
    """That can say how much speaks against a mean: for limits on means."""

    def has_news(self, own: Any, metric: Statistics) -> bool:
        """Is there more evidence on the mean than before the last reward?"""

    def log_evidence(self, own: Any, metric: Statistics, sigma: float, x: float) -> tuple[float, float]:
        """ln of the evidence that the mean is above x, and that it is below."""


class LimitTest(Protocol):
    """Is an arm's risk within its limit? Sees one arm: `own` is what it declares in `Evidence`, `shown` in
    `ShownEvidence`; and `mean` the record of the mean bound, of which a test says by its type what it needs.
    """

    OWN: str  # the name that its user gave it; empty: it came with Surefoot
    NEEDS_MEAN: bool  # does it read what the mean bound keeps? Else a metric that is not the goal's has none
    IN_INTERVAL: bool  # does INFEASIBLE rely on the mean being between L or `floor` and U?
    REVISES: bool  # does it go on after FEASIBLE, which what is certain may override?
    STARTS: bool  # can its evidence for FEASIBLE start anew when the arm leads?

    @property
    def Evidence(self) -> type: ...

    @property
    def ShownEvidence(self) -> type:
        """What is kept for people to see, and decides nothing."""

    @property
    def weakened(self) -> Callable[[Any], Any] | None:
        """Parameters with which it decides too early: the negative control. None if it has no levels of its own."""

    def parameters(self, asked: LimitQuestion, share: LimitShare) -> Any: ...

    def observe(
        self, own: Any, metric: Statistics, mean: Any, parameters: Any, reward: float, guessed: float
    ) -> None: ...

    def start_anew(self, own: Any, log_wealth: float) -> None:
        """Let the evidence for FEASIBLE start here, with so much."""

    def verdict(self, own: Any, metric: Statistics, mean: Any, parameters: Any, clock: float) -> int: ...

    def shares(self, own: Any, metric: Statistics, mean: Any, parameters: Any, clock: float) -> tuple[float, float]:
        """How much of the evidence there is that the arm is feasible, and that it is not, each from 0 to 1."""

    def sample_breaks(self, own: Any, metric: Statistics, mean: Any, parameters: Any) -> bool:
        """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""

    def observe_for_display(
        self, shown: Any, metric: Statistics, parameters: Any, reward: float, guessed: float
    ) -> None:
        """Fold one reward into what people see, before the statistics do."""

    def risk_interval(
        self, shown: Any, own: Any, metric: Statistics, mean: Any, parameters: Any, question: Question, clock: float
    ) -> tuple[float, float]:
        """Between what the risk lies, for information."""

    def estimate(self, shown: Any, own: Any, metric: Statistics, mean: Any, parameters: Any) -> float:
        """The risk as the rewards so far have it."""


class Answer(Protocol):
    """What is asked for. Sees every arm's L, U and verdict."""

    PAIRS: bool  # is an arm out as soon as another surely surpasses it? For policies with PAIRS

    def error_budget(self, question: Question, pairs: bool, compared: bool, starts: bool) -> ErrorBudget:
        """Whose bounds must hold, and how often each may fail: of bounds that can compare arms in pairs or cannot, under a
        policy that does so or does not; and can the evidence for an arm start anew when it leads?
        """

    def settled(self, state: State, ranking: Ranking) -> Step:
        """The answer, or UNDECIDED. It must be right whenever all bounds of the error budget hold."""

    def candidate(self, state: State, ranking: Ranking, index: int) -> bool:
        """May this arm still belong to the answer?"""


class Ranker(Protocol):
    """Who leads. Sees all arms, and keeps their bounds and verdicts."""

    CLOCKED: bool  # do bounds change with time alone?

    def board(self, arms: int) -> Any: ...

    def place(self, state: State, index: int, results: Results, guessed: float) -> None:
        """Bring the ranking up to date, once the evidence on an arm's mean holds a reward."""

    def clock(self, state: State, t: int) -> float: ...

    def refresh(self, state: State, t: int) -> None: ...

    def rank(self, state: State) -> Ranking: ...

    def runner_up(self, state: State, optimist: int) -> int: ...

    def add_owed(self, state: State, t: int, pulls: int) -> int: ...

    def revise_upper(self, state: State, index: int, upper: float) -> None: ...

    def leave_out(self, state: State, index: int) -> None: ...


class Policy(Protocol):
    """When to stop, and whom to pull next. Sees all arms; `arm.policy` is what it declares in `Evidence`, `state.policy[0]`
    what it declares in `Memory`, and `state.policy_parameters` what its `parameters` returns.
    """

    ONE_AT_A_TIME: bool  # must every pull be told before the next one is chosen?
    PAIRS: bool  # does it compare arms in pairs, by rewards in one order?
    OWN_RULE: (
        str  # the answer that its own rule of stopping finds, and no other; empty: it asks the answer it was given
    )
    ACCURACIES: bool  # does it need a tolerance and a slack? Simulations grant it those that single out the best arm
    OWN: str  # the name that its user gave it; empty: it came with Surefoot

    @property
    def Evidence(self) -> type: ...

    @property
    def Memory(self) -> type: ...

    @property
    def parameters(self) -> Callable[[Question], Any] | None:
        """What the question tells it, once and for all; None if that is nothing."""

    @property
    def weakened(self) -> Callable[[State], State] | None:
        """The state with levels at which it stops too early: the negative control. None if bounds are all it needs."""

    def stop(self, state: State, ranking: Ranking, t: int) -> Step: ...

    def choose(self, state: State, ranking: Ranking, generator: np.random.Generator) -> int:
        """Write the arms to pull into `state.asked`; how many they are."""
