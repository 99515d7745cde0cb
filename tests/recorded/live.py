"""Live studies by script: delays, pulls told out of order, expired, abandoned, told late, rewards nobody asked for, requests
made again, an arm excluded, a study closed. And the same once more with the study opened anew all the while.
"""

import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from surefoot import Study
from surefoot.errors import SurefootError
from surefoot.storage import Storage
from tests.recorded import adapter, kernels
from tests.recorded.rows import Recorded

NAME = "study"
ARMS = ("A", "B", "C", 'it\'s "D"')
EVERY = 15  # calls from one opening to the next
SELDOM = 3  # is the table looked at, which takes most of the time, where it need not be after every call
AFTERWARDS = 6  # calls after the decision, that must not change it


class Plan(NamedTuple):
    """What a script begins with, and how much of what it does."""

    fields: dict[str, Any]
    limit: str
    weights: dict[str, float]  # of each call
    turns: int


BUSY = {
    "ask": 5,
    "ask_again": 0.5,
    "tell": 5,
    "tell_several": 4,
    "tell_again": 0.5,
    "tell_otherwise": 0.3,
    "tell_nonsense": 0.3,
    "abandon": 0.8,
    "heartbeat": 1,
    "wait": 1.5,
    "tell_late": 1,
    "record": 0.7,
    "exclude": 0.1,
}
CALM = {"ask": 3, "tell": 6, "tell_several": 1, "abandon": 0.2, "record": 0.3}
PLANS = {
    "leases": Plan({"lease": 30.0, "seed": 11}, kernels.EASY, BUSY, 300),
    "budget": Plan(
        {"goal": "min", "tolerance": 0.2, "risk_slack": 0.1, "delta": 0.01, "max_pulls": 150}, kernels.UPPER, CALM, 400
    ),
    "none qualifies": Plan({"lease": 30.0, "delta": 0.09}, kernels.STRICT, CALM | {"wait": 0.5, "tell_late": 0.5}, 150),
}


# Those that are played again with the study opened anew; that the others would be the same, tests/storage says.
REOPENED = {
    "top-two tight bounded variance",
    "top-two tight gaussian none",
    "va-lucb sharp bounded quantile",
    "va-uniform sharp bounded probability",
    "successive-elimination paper bounded variance",
    "lil-ucb lil bounded none",
    "track-and-stop sharp gaussian variance",
    "risk-averse-ucb paper bounded variance",
    "va-lucb subgaussian subgaussian variance",
}


def groups() -> list[str]:
    return [" ".join(names) for names in adapter.combinations()]


def plans(group: str) -> dict[str, Plan]:
    """Those that there is a limit for."""
    _, _, kind, risk = group.split()
    return {name: plan for name, plan in PLANS.items() if plan.limit in kernels.LIMITS[kind][risk]}


def record(group: str) -> Iterator[Recorded]:
    for name, plan in plans(group).items():
        straight = play(group, name, plan, lambda storage, study: study)
        reopened = {}
        if group in REOPENED:
            from_journal = play(group, name, plan, lambda storage, study: adapter.without_snapshot(storage, NAME))
            from_snapshot = play(group, name, plan, lambda storage, study: Study.open(storage, NAME))
            reopened = {
                "from_journal": difference(straight, from_journal),
                "from_snapshot": difference(straight, from_snapshot),
            }
        yield straight._replace(fields=straight.fields | reopened)


def play(group: str, name: str, plan: Plan, reopen: Callable[[Storage, Study], Study]) -> Recorded:
    """What a script sees, when the study is opened anew this way from time to time."""
    more = AFTERWARDS
    with adapter.clock() as clock, adapter.snapshots_every(20):
        script = Script(group, plan, clock)
        for turn in range(plan.turns):
            if turn % EVERY == 0:
                script.study = reopen(script.storage, script.study)
            more -= script.study.decided
            if not more:
                break
            script.take_a_turn()
        script.call("close", script.study.close)
        return script.recorded(f"{group}: {name}")


def difference(one: Recorded, other: Recorded) -> str:
    """`same`, or the first line that is not."""
    for part, lines in one.text.items():
        for number, (mine, theirs) in enumerate(zip_longest(lines, other.text[part])):
            if mine != theirs:
                return f"{part} {number}: {mine} / {theirs}"
    return "same"


class Script:
    """A worker without a plan: each turn is one call, drawn at random."""

    def __init__(self, group: str, plan: Plan, clock: adapter.Clock) -> None:
        policy, bounds, kind, risk = group.split()
        fields = (kernels.NEEDS_ACCURACY if policy == "risk-averse-ucb" else {}) | plan.fields
        if risk == "none":
            fields = {name: value for name, value in fields.items() if name != "risk_slack"}
        self.low, self.high = (-2.0, 3.0) if plan.limit == kernels.UPPER else (0.0, 1.0)
        self.bounded, self.coins = kind == "bounded", plan.limit == kernels.STRICT
        self.looks = 1 if group in REOPENED else SELDOM  # calls from one look at the table to the next
        self.clock = clock
        self.storage = adapter.storage_with(clock)
        self.study = Study.open(
            self.storage,
            NAME,
            ARMS,
            policy=policy,
            bounds=bounds,
            risk=kernels.LIMITS[kind][risk][plan.limit],
            rewards=adapter.reward_model(kind, self.low, self.high),
            **fields,
        )
        self.generator = np.random.default_rng(1)
        self.calls, total = list(plan.weights), sum(plan.weights.values())
        self.shares = np.cumsum([weight / total for weight in plan.weights.values()]).tolist()
        self.asked: dict[int, str] = {}  # every pull's arm
        self.told: dict[int, float] = {}
        self.requests: list[tuple[str, int]] = []
        self.text: dict[str, list[str]] = {"calls": [], "decision": [], "arms": [], "shown": []}

    # --- chance

    def take_a_turn(self) -> None:
        drawn = self.generator.random()
        getattr(self, next(call for call, share in zip(self.calls, self.shares, strict=True) if drawn < share))()

    def below(self, count: int) -> int:
        return int(self.generator.random() * count)

    def one_of(self, values: list[Any]) -> Any:
        return values[self.below(len(values))]

    def reward(self, arm: str) -> float:
        if self.coins:
            return float(self.below(2))
        level = {"A": 0.05, "B": 0.75, "C": 0.3}.get(arm, 0.45)
        wide = level + (0.2 if arm != "C" else 0.6) * self.generator.random()
        return self.low + (self.high - self.low) * wide

    # --- calls

    def ask(self) -> None:
        count, marks = self.one_of([None, 1, 2, 6]), {}
        if self.below(2):
            marks["worker"] = self.one_of(["one", "two"])
        if self.below(3) == 0:
            marks["request"] = f"r-{len(self.requests)}"
            self.requests.append((marks["request"], count))
        for pull in self.call("ask", self.study.ask, count, **marks) or []:
            self.asked[pull.id] = pull.arm

    def ask_again(self) -> None:
        if self.requests:
            request, count = self.one_of(self.requests)
            for pull in self.call("ask", self.study.ask, count, request=request) or []:
                self.asked[pull.id] = pull.arm

    def tell(self) -> None:
        if pending := self.pending():
            pull = self.one_of(pending)
            self.told[pull] = self.reward(self.asked[pull])
            self.call("tell", self.study.tell, pull, self.told[pull])

    def tell_several(self) -> None:
        pending = self.pending()
        chosen = [pull for pull in reversed(pending) if self.below(2)]
        if chosen:
            for pull in chosen:
                self.told[pull] = self.reward(self.asked[pull])
            self.call("tell_all", self.study.tell_all, [(pull, self.told[pull]) for pull in chosen])

    def tell_again(self) -> None:
        if self.told:
            pull = self.one_of(sorted(self.told))
            self.call("tell", self.study.tell, pull, self.told[pull])

    def tell_otherwise(self) -> None:
        if self.told:
            pull = self.one_of(sorted(self.told))
            self.call("tell", self.study.tell, pull, (self.told[pull] + self.low) / 2.0)

    def tell_nonsense(self) -> None:
        nonsense = [*([self.high + 1.0] if self.bounded else []), float("nan"), "0.5"]
        self.call("tell", self.study.tell, self.below(len(self.asked) + 2), self.one_of(nonsense))

    def abandon(self) -> None:
        if pending := self.pending():
            self.call("abandon", self.study.abandon, self.one_of(pending))

    def heartbeat(self) -> None:
        if self.asked:
            self.call("heartbeat", self.study.heartbeat_all, [self.one_of(sorted(self.asked)) for _ in range(3)])

    def wait(self) -> None:
        self.clock.seconds += self.one_of([1.0, 10.0, 20.0, 40.0])
        self.call("heartbeat", self.study.heartbeat_all, self.pending()[:1])

    def tell_late(self) -> None:
        gone = sorted(set(self.asked) - set(self.pending()) - set(self.told))
        if gone:
            pull = self.one_of(gone)
            reward = self.reward(self.asked[pull])
            if self.call("tell", self.study.tell, pull, reward) is not REFUSED:
                self.told[pull] = reward

    def record(self) -> None:
        rewards = [(arm, self.reward(arm)) for arm in ARMS if self.below(2)]
        self.call("record", self.study.record_all, rewards)

    def exclude(self) -> None:
        self.call("exclude", lambda arm, why: adapter.exclude(self.study, arm, why), self.one_of(ARMS[2:]), "it broke")

    def pending(self) -> list[int]:
        return sorted(pull.id for pull in self.study.pending)

    # --- what is seen

    def call(self, name: str, call: Callable[..., Any], *arguments: Any, **marks: Any) -> Any:
        """Make a call, and note it, its answer, and how things stand then."""
        try:
            answer = call(*arguments, **marks)
            said = repr([(pull.id, pull.arm) if isinstance(pull, tuple) else pull for pull in answer or []])
        except SurefootError as error:
            answer, said = REFUSED, type(error).__name__
        self.text["calls"].append(f"{self.clock.seconds} {name} {arguments} {sorted(marks.items())} {said}")
        study, decision = self.study, self.study.decision
        sure = decision.confidence if study.decided and decision.status != "undecided" else None
        standing = [study.decided, decision.status, decision.arm, decision.pulls, sure, study.spent, study.pulls]
        self.text["decision"].append(f"{standing} {self.pending()} {study.contest}")
        if len(self.text["calls"]) % self.looks:
            return answer
        for row in study.table():
            verdict = adapter.verdict(row.verdict)
            self.text["arms"].append(
                f"{row.name} {row.pulls} {exact(row.mean, row.mean_lower, row.mean_upper)} {verdict}"
            )
            shown = exact(row.risk, row.risk_lower, row.risk_upper, row.evidence)
            self.text["shown"].append(f"{row.name} {shown} {row.ruled_out}")
        return answer

    def recorded(self, case: str) -> Recorded:
        events = [event | ({"surefoot": "*"} if "surefoot" in event else {}) for event in self.study.events]
        kinds = [event["type"] for event in events]
        decision = self.study.decision
        fields = {
            "status": decision.status,
            "arm": decision.arm,
            "pulls": [row.pulls for row in self.study.table()],
            "events": {kind: kinds.count(kind) for kind in sorted(set(kinds))} | {"late": late(events)},
        }
        text = self.text | {"journal": [json.dumps(event, sort_keys=True, ensure_ascii=False) for event in events]}
        return Recorded(case, fields, text)


REFUSED: Any = object()


def late(events: list[dict[str, Any]]) -> int:
    return sum(event.get("late", False) for event in events)


def exact(*values: float | None) -> str:
    return " ".join("-" if value is None else float(value).hex() for value in values)
