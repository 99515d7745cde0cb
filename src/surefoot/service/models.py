"""What goes in and out, in JSON. Types are checked here; what values may be is for the study to say, in its sentences."""

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from surefoot.core.registry import BOUNDS, POLICIES
from surefoot.problem import arm_name
from surefoot.problem.items import MOST_NAMES

MOST_ARMS = 10_000
LONGEST_ARM = 1_000  # characters of an arm's name
MOST_PULLS = 1_000  # of one ask
MOST_RESULTS = 10_000  # of one tell, record or heartbeat

Identity = Annotated[
    str, Path(description="The study's id: its name, with ~ and two digits for what a URL cannot hold.")
]
Number = Annotated[float, Field(allow_inf_nan=False)]
LARGEST_NAME = 10.0**15  # up to which a number over HTTP has all its digits


def named(value: Any) -> Any:
    """Text in the place of a number, as in Python; a number that may have lost digits on its way stays one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return arm_name(value) if is_number and abs(value) <= LARGEST_NAME else value


TEXT_OR_NUMBER = {"anyOf": [{"type": "string"}, {"type": "number"}]}
ArmName = Annotated[str, BeforeValidator(named), WithJsonSchema(TEXT_OR_NUMBER)]
NewName = Annotated[str, Field(max_length=LONGEST_ARM), BeforeValidator(named), WithJsonSchema(TEXT_OR_NUMBER)]
LARGEST_WHOLE = 2**62
Whole = Annotated[int, Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]
Told = Annotated[  # true and false are 1 and 0, as the outcome of a trial often is
    Number,
    BeforeValidator(lambda value: float(value) if isinstance(value, bool) else value),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "boolean"}]}),
]
Range = Annotated[  # the study says in its own words what it cannot be
    Any, WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "string"}]})
]


class Strict(BaseModel):
    """A body with no other fields than these, and no text where a number belongs."""

    model_config = ConfigDict(extra="forbid", strict=True)


# --- in


FEWEST = "If left out: whichever needs the fewest pulls."


class Creation(Strict):
    name: str = Field(description="Printable text on one line.", examples=["colours"])
    arms: list[NewName] = Field(max_length=MOST_ARMS, examples=[["red", "blue"]])
    risk: str | None = Field(default=None, description="The limit, if there is one.", examples=["variance <= 0.04"])
    rewards: Range = Field(default=None, description='A range [low, high], "binary" or "gaussian"; [0, 1] if left out.')
    subgaussian: Number | None = Field(
        default=None, description="Instead of rewards: the sigma of sub-Gaussian rewards."
    )
    delta: Number = Field(default=0.05, description="How probable a wrong decision may be, at most.")
    goal: str = Field(default="max", examples=["max", "min", "max mean(accuracy)"])
    tolerance: Number = 0.0
    risk_slack: Number = 0.0
    max_pulls: Whole | None = None
    failure: Number | dict[str, Told] | None = Field(
        default=None,
        description="What a failed pull counts as: a number, or a number per metric. If left out: another takes its place.",
    )
    metrics: dict[str, Any] | None = Field(
        default=None,
        description="If pulls return several numbers: what is known of each, by its name.",
        examples=[{"accuracy": [0, 1], "latency": "any"}],
    )
    limits: list[Any] | None = Field(
        default=None,
        description="Instead of risk: several limits, all of which must be kept.",
        examples=[["quantile(0.95, latency) <= 2", {"limit": "mean(cost) <= 3", "slack": 0.1}]],
    )
    baseline: str | None = Field(
        default=None,
        description="The arm that limits such as mean(cost) <= 1.02 * baseline compare the others with.",
    )
    design: str = Field(
        default="independent",
        description="How pulls of different arms belong together: independent; items: all arms are tried on the same; "
        "or rounds: all arms that may still be the answer are tried together.",
    )
    items: Whole | Annotated[list[str], Field(max_length=MOST_NAMES)] | None = Field(
        default=None,
        description="With design items: their number, or the list of them. If left out: an endless stream 0, 1, 2, …",
    )
    finite: bool | None = Field(
        default=None,
        description="With items: is the answer about exactly these, as if each arm were tried once on each? Else a sample.",
    )
    replacement: bool | None = Field(
        default=None,
        description="With items: draw them with replacement, for expected results, where a second trial would differ.",
    )
    policy: str | None = Field(default=None, description=FEWEST, json_schema_extra={"enum": [*POLICIES, None]})
    bounds: str | None = Field(default=None, description=FEWEST, json_schema_extra={"enum": [*BOUNDS, None]})
    seed: Whole = 0
    lease: Number | None = Field(
        default=None,
        description="Seconds after which a pull without a result is given up, and another takes its place.",
    )


class Ask(Strict):
    count: Annotated[int, Field(ge=1, le=MOST_PULLS)] | None = Field(
        default=None, description="How many pulls. If left out: as many as the policy wants next."
    )
    worker: str | None = Field(default=None, description="Who asks. The journal keeps it.")
    request: str | None = Field(
        default=None, description="An id that you choose: the same id gets the same answer, however often it is sent."
    )


class Outcome(Strict):
    """Of a pull: its result, or why it failed."""

    pull: Whole
    reward: Told | None = Field(default=None, description="The result, if there is one metric.")
    values: dict[str, Told] | None = Field(
        default=None, description="The result: a number for each metric, by its name."
    )
    failed: str | None = Field(default=None, description="Why the pull failed, if it did.")


class Tell(Strict):
    results: list[Outcome] = Field(max_length=MOST_RESULTS)


class Exchange(Ask):
    """A tell, then an ask."""

    results: list[Outcome] = Field(max_length=MOST_RESULTS)


class Observation(Strict):
    arm: ArmName
    reward: Told | None = Field(default=None, description="The result, if there is one metric.")
    values: dict[str, Told] | None = Field(
        default=None, description="The result: a number for each metric, by its name."
    )
    item: str | Whole | None = Field(
        default=None, description="What the arm was tried on, with design items: its next item."
    )


class Record(Strict):
    results: list[Observation] = Field(max_length=MOST_RESULTS)


class Abandon(Strict):
    pull: Whole


class Exclusion(Strict):
    arm: ArmName
    why: str = Field(description="Why it cannot be measured: printable text on one line.")


class Heartbeat(Strict):
    pulls: list[Whole] = Field(max_length=MOST_RESULTS)


# --- out


class Refusal(BaseModel):
    """Why not, in a sentence."""

    detail: str


class Health(BaseModel):
    status: Literal["ok"]
    version: str


class AskedPull(BaseModel):
    id: int
    arm: str
    item: str | int | None = Field(default=None, description="What to try the arm on, with design items.")


class Asked(BaseModel):
    pulls: list[AskedPull]
    decided: bool = Field(
        description="true: there are no more pulls. false, and the list of pulls is empty: ask again later."
    )


class Exchanged(Asked):
    counted: int = Field(description="Results that count.")


class Pulls(BaseModel):
    pulls: list[AskedPull]


class PullWorker(BaseModel):
    id: int
    worker: str | None = Field(description="null if whoever asked did not say.")


class Progress(BaseModel):
    decided: bool
    pulls: int = Field(description="How many results count.")


class Heard(BaseModel):
    counts: list[bool] = Field(description="For each pull: would its result still count?")


class Entry(BaseModel):
    id: str
    name: str
    created: float
    changed: float
    events: int
    status: str = Field(
        description="running, or the decision: best, infeasible, undecided; broken if it cannot be read."
    )
    arm: str | None
    pulls: int
    arms: int
    risk: str


class Entries(BaseModel):
    studies: list[Entry]
    total: int


class Decision(BaseModel):
    status: str
    answer: list[str] | None = Field(description="The answer: empty if no arm keeps the limits; null while undecided.")
    arm: str | None
    pulls: int
    confidence: float | None = Field(description="The confidence of the decision; null while it is undecided.")
    sentence: str
    recommended: list[str] | None = Field(
        description="The answer one would give now; empty: that no arm keeps the limit; null: nothing can be said yet."
    )
    recommended_confidence: float = Field(description="Its confidence, 0 if nothing can be claimed yet.")
    recommended_gap: float | None = Field(
        description="How much worse than the best its mean could be; null: not known."
    )
    candidates: list[str] = Field(description="Of the arms shown, those that may still be the answer.")


class Notice(BaseModel):
    kind: str
    arm: str | None = Field(description="null if the warning is not about one arm.")
    sentence: str


class Limit(BaseModel):
    name: str
    value: float
    is_floor: bool = Field(description="true: an arm is feasible above the limit. false: below it.")


class LimitLine(Limit):
    limit: str = Field(description="The limit, as people write it.")
    metric: str
    slack: float


class GoalReport(BaseModel):
    quantity: str
    value: float | None
    lower: float | None
    upper: float | None


class LimitReport(BaseModel):
    limit: str
    value: float | None
    lower: float | None
    upper: float | None
    verdict: str = Field(description="Of this limit alone: feasible, infeasible or open.")
    evidence: float


class ArmRow(BaseModel):
    name: str
    pulls: int
    mean: float | None = Field(description="Of mean… and risk…: null if there are several limits.")
    mean_lower: float | None
    mean_upper: float | None
    risk: float | None
    risk_lower: float | None
    risk_upper: float | None
    goal: GoalReport
    limits: list[LimitReport] = Field(description="In the order of the limits of the problem.")
    verdict: str
    evidence: float
    ruled_out: bool
    words: str
    failures: int = Field(description="Pulls that failed.")
    clipped: int = Field(description="Values beyond the range of their metric, which count as its end.")
    recommended: bool = Field(description="Is it the answer one would give now?")


class Result(BaseModel):
    time: float
    arm: str
    reward: float | None = Field(description="null if there are several metrics.")
    values: dict[str, float] = Field(description="By metric.")
    pull: int | None
    late: bool
    failed: str | None = Field(description="Why the pull failed, if it did.")
    item: str | int | None = Field(default=None, description="What the arm was tried on, with design items.")


class StudyView(BaseModel):
    id: str
    name: str
    created: float
    problem: dict[str, Any] = Field(description="The fields of the problem, with policy, bounds, seed and lease.")
    limit: Limit | None = Field(description="The limit, if there is exactly one.")
    limits: list[LimitLine]
    nearest_limit: int | None = Field(
        description="Which of the limits the leader is nearest to breaking; null if there is none."
    )
    decided: bool
    decision: Decision
    recommendation: str = Field(description="The answer one would give now, as a sentence.")
    warnings: list[Notice] = Field(description="Warnings: what contradicts an assumption of the guarantee.")
    leader: str | None = Field(
        description="The arm that looks best; null once decided, and before all arms were tried."
    )
    challenger: str | None = Field(description="Its closest rival; null if there is none.")
    pulls: int
    spent: int = Field(description="Pulls handed out or recorded, less those given up: what max_pulls counts.")
    pending: int = Field(description="Pulls in flight.")
    pulls_left: int | None = Field(
        description="How many more pulls a decision takes, about; null if nothing can be said."
    )
    arms: list[ArmRow]
    arms_total: int
    arms_in_play: int
    recent: list[Result]
    position: int = Field(description="How many events the journal has. Give it as since to follow those to come.")
