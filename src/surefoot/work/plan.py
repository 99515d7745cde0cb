"""How many pulls a problem will take, before the first one is made: simulated runs of what is guessed.

Run k draws its arms, and then its rewards, from the seed and k alone. What a change costs is seen on the same draws.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surefoot.core import verdicts
from surefoot.errors import Interrupted, InvalidValue, whole
from surefoot.problem import choice
from surefoot.problem.grammar import written
from surefoot.problem.limits import Limit
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.problem.risks.expressions import parse
from surefoot.simulation.job import Job
from surefoot.simulation.sweep import reports
from surefoot.simulation.sweep_progress import Bar
from surefoot.simulation.sweep_results import Run, recommends_rightly
from surefoot.simulation.threads import noticing_interrupts
from surefoot.work.guesses import Guesses, doubts

MOST = 10_000_000  # pulls of a run, when nobody set a limit
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
STRICTER = 0.1  # by how much of itself the tighter limit is tighter


@dataclass
class Outcome:
    """The runs of one set of guesses."""

    change: str
    guesses: Guesses
    runs: dict[int, Run] = field(default_factory=dict)
    by_arm: dict[int, tuple[int, ...]] = field(default_factory=dict)
    right: set[int] = field(default_factory=set)  # the runs that recommend rightly at their end, decided or not

    @property
    def undecided(self) -> int:
        return sum(run.status == verdicts.UNDECIDED for run in self.runs.values())

    def pulls(self, arm: int | None = None) -> dict[str, float]:
        """Of a run, or of one arm in a run. Those of an undecided run are what it had made when it was ended."""
        made = [run.pulls if arm is None else self.by_arm[trial][arm] for trial, run in self.runs.items()]
        return {"mean": float(np.mean(made))} | {
            name: float(np.quantile(made, share, method="higher")) for name, share in SHARES.items()
        }

    @property
    def bought(self) -> dict[str, float]:
        """What the budget of pulls buys: the shares of runs that decide, and whose recommendation is right at the end."""
        count = len(self.runs)
        return {"decided": 1.0 - self.undecided / count, "right": len(self.right) / count}

    def decisions(self) -> dict[str, int]:
        """How often each decision was made."""
        names = self.guesses.middle.problem.names
        counts: Counter[str] = Counter()
        for run in self.runs.values():
            counts[{verdicts.BEST: names[run.arm], verdicts.NO_ARM: "no arm"}.get(run.status, "undecided")] += 1
        return dict(counts.most_common())

    def compared(self, other: "Outcome") -> float | None:
        """How many times the pulls of the other, over the runs that both have."""
        both = self.runs.keys() & other.runs.keys()
        theirs = sum(other.runs[trial].pulls for trial in both)
        return sum(self.runs[trial].pulls for trial in both) / theirs if theirs else None


@dataclass(frozen=True)
class Plan:
    policy: str
    bounds: str
    base: Outcome
    costs: tuple[Outcome, ...]  # of changes
    warnings: tuple[str, ...]
    max_pulls: int
    trials: int  # that were to be run


def plan(
    guesses: Guesses,
    *,
    policy: str | None = None,
    bounds: str | None = None,
    trials: int = 200,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> Plan:
    """Simulate what is guessed, then the same with one change each. Ctrl-C raises `Interrupted` with what there is."""
    whole("trials", trials, at_least=1)
    policy, bounds = choice.preferred(guesses.middle.problem, policy, bounds)
    max_pulls = guesses.middle.problem.max_pulls or MOST
    guesses = guesses.but(max_pulls=max_pulls)
    base = Outcome("as guessed", guesses)
    costs: list[Outcome] = []
    with Bar(trials, shown=progress) as bar, noticing_interrupts() as stop:

        def run(outcome: Outcome) -> None:
            jobs, todo = prepared(outcome.guesses, policy, bounds, trials, seed)
            for report in reports(jobs, todo, workers=workers, client=None, stop=stop):
                bar.show(report)
                if report.run:
                    outcome.runs[report.trial], outcome.by_arm[report.trial] = report.run, report.by_arm
                    if recommends_rightly(jobs[report.job].instance, report.run):
                        outcome.right.add(report.trial)

        run(base)
        if not stop.is_set() and 2 * base.undecided < len(base.runs):  # else a change is cut short as well
            costs = changes(base)
            bar.add(trials * len(costs))
            for outcome in costs:
                if not stop.is_set():
                    run(outcome)
    done = tuple(outcome for outcome in costs if outcome.runs)
    planned = Plan(policy, bounds, base, done, tuple(warnings(base, done, trials)), max_pulls, trials)
    if stop.is_set():
        raise Interrupted(f"interrupted after {bar.done:,} of {bar.runs:,} runs", planned)
    return planned


def prepared(
    guesses: Guesses, policy: str, bounds: str, trials: int, seed: int
) -> tuple[list[Job], Sequence[tuple[int, int]]]:
    """The jobs, and the runs to do: one job for all runs, or one for each if each has arms of its own."""

    def job(instance: Any) -> Job:
        return Job(instance, policy, bounds, trials, seed, by_arm=True)

    if not guesses.ranged:
        return [job(guesses.middle)], [(0, trial) for trial in range(trials)]
    streams = [np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(trial, 1))) for trial in range(trials)]
    return [job(guesses.instance(stream)) for stream in streams], [(trial, trial) for trial in range(trials)]


def changes(base: Outcome) -> list[Outcome]:
    """One more arm, a tighter delta, a tighter limit."""
    guesses, problem = base.guesses, base.guesses.middle.problem
    variants = []
    if like := typical(base):
        variants.append(Outcome(f"one more arm like {like}", guesses.with_another(like)))
    delta = problem.delta / 10
    variants.append(Outcome(f"delta = {delta:g}", guesses.but(delta=delta)))
    for place, limit in enumerate(problem.limits):
        if stricter := tightened(limit):
            if problem.is_short:
                variants.append(Outcome(str(stricter), guesses.but(risk=str(stricter))))
            else:
                limits = [one.plain() for one in problem.limits]
                limits[place] = stricter.plain()
                variants.append(Outcome(str(stricter), guesses.but(limits=limits)))
    return variants


def typical(base: Outcome) -> str | None:
    """Of the arms that were not the usual answer, the one with the median pulls; a second best arm would be a tie."""
    names = base.guesses.middle.problem.names
    answer = max(base.decisions(), key=base.decisions().__getitem__)
    others = sorted((arm for arm in range(len(names)) if names[arm] != answer), key=lambda arm: base.pulls(arm)["mean"])
    return names[others[len(others) // 2]] if others else None


def tightened(limit: Limit) -> Limit | None:
    """A limit a tenth stricter; None if it cannot be."""
    risk = limit.risk
    if isinstance(risk, AgainstBaseline):
        stricter = risk.stricter(STRICTER)
        return replace(limit, risk=stricter) if stricter else None
    step = STRICTER * abs(risk.bound) * (1.0 if risk.is_floor else -1.0)
    expression, _ = str(risk).rsplit(" ", 1)
    try:
        return replace(limit, risk=parse(f"{expression} {written(float(f'{risk.bound + step:.12g}'))}"))
    except InvalidValue:
        return None


def warnings(base: Outcome, costs: Sequence[Outcome], trials: int) -> list[str]:
    sentences = [
        f"{'in the middle of the ranges, ' if base.guesses.ranged else ''}{doubt}"
        for doubt in doubts(base.guesses.middle)
    ]
    sentences += [
        f"{outcome.change}: {len(outcome.runs):,} of {trials:,} runs had ended at the interruption, and short runs "
        "end first: a decision takes more pulls than the table says"
        for outcome in (base, *costs)
        if 0 < len(outcome.runs) < trials
    ]
    if base.undecided:
        max_pulls = base.guesses.middle.problem.max_pulls
        ended = f"{base.undecided:,} of {len(base.runs):,} runs were ended undecided after {max_pulls:,} pulls"
        sentences.append(
            f"{ended}: a decision takes more pulls than the table says; raise --max-pulls, or give a tolerance or risk_slack"
        )
    return sentences
