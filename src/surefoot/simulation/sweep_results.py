"""What a sweep found: its runs, their summary, and where they came from."""

import csv
import statistics
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.core.recommending import NO_ARM, NOTHING_YET
from surefoot.errors import Unsupported
from surefoot.simulation.instance import Instance

NAMES = {NO_ARM: "no arm", NOTHING_YET: None}
SHOWN = 0.8  # the one that people see
CLAIMS = (0.5, 0.8, 0.9)  # confidences, of which it is counted how often a wrong recommendation had as much
STATUS = {verdicts.UNDECIDED: "undecided", verdicts.BEST: "best", verdicts.NO_ARM: "infeasible"}


class Run(NamedTuple):
    trial: int
    status: int  # of `verdicts`
    arm: int
    pulls: int
    recommended: int = NOTHING_YET  # the arm one would name at the end, or NO_ARM
    confidence: float = 0.0  # that it has


@dataclass(frozen=True, slots=True)
class Provenance:
    """Enough to get the same bits again, given the instance."""

    version: str
    policy: str
    bounds: str
    seed: int
    trials: int
    engine: str
    max_pulls: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """Many simulated runs of one instance, with their policy, bounds and seed. It prints as a summary."""

    instance: Instance
    provenance: Provenance
    runs: tuple[Run, ...]
    seconds: float

    def __str__(self) -> str:
        return self.sentence()

    def decisions(self) -> dict[str, Any]:
        """How often each decision was made."""
        names = self.instance.problem.names
        chosen = Counter(run.arm for run in self.runs if run.status == verdicts.BEST)
        return {
            "best": {names[arm]: chosen[arm] for arm in sorted(chosen)},
            "infeasible": sum(run.status == verdicts.NO_ARM for run in self.runs),
            "undecided": sum(run.status == verdicts.UNDECIDED for run in self.runs),
        }

    def summary(self) -> dict[str, Any]:
        """The keys that `surefoot simulate --json` prints."""
        pulls = [run.pulls for run in self.runs]
        total = sum(pulls)
        decided = [run for run in self.runs if run.status != verdicts.UNDECIDED]
        correct = sum(self.instance.is_right(run.status, run.arm) for run in decided)
        return {
            "policy": self.provenance.policy,
            "bounds": self.provenance.bounds,
            "delta": self.instance.problem.delta,
            "trials": len(self.runs),
            "seed": self.provenance.seed,
            "pulls": {
                "mean": total / len(pulls) if pulls else None,
                "sd": statistics.stdev(pulls) if len(pulls) > 1 else None,
                "min": min(pulls, default=None),
                "max": max(pulls, default=None),
            },
            "correct": correct,
            "wrong": len(decided) - correct,
            "undecided": len(self.runs) - len(decided),
            "recommendations": self.recommendations(),
            "decisions": self.decisions(),
            "right_answers": list(self.instance.right_answers),
            "seconds": self.seconds,
            "ns_per_pull": 1e9 * self.seconds / total if total else None,
            "max_pulls": self.provenance.max_pulls,
            "engine": self.provenance.engine,
            "version": self.provenance.version,
        }

    def recommendations(self) -> dict[str, Any]:
        """Of the runs that ended undecided: how often the recommendation was right, and what wrong ones claimed."""
        ended = [run for run in self.runs if run.status == verdicts.UNDECIDED and run.recommended != NOTHING_YET]
        wrong = [run for run in ended if not recommends_rightly(self.instance, run)]
        return {
            "right": len(ended) - len(wrong),
            "wrong": len(wrong),
            "mean_confidence": statistics.fmean(run.confidence for run in ended) if ended else None,
            "claimed": [
                {
                    "confidence": claim,
                    "runs": sum(run.confidence >= claim for run in ended),
                    "wrong": sum(run.confidence >= claim for run in wrong),
                    "allowed": (1.0 - claim) * len(self.runs),
                }
                for claim in CLAIMS
            ],
        }

    def sentence(self) -> str:
        """The summary for people."""
        if not self.runs:
            return "No run was finished."
        summary = self.summary()
        names = summary["decisions"]
        pulls = summary["pulls"]
        answers = [f"{name} is best in {count}" for name, count in names["best"].items()]
        answers += [f"no arm keeps the limit in {names['infeasible']}"] if names["infeasible"] else []
        answers += [f"undecided in {names['undecided']}"] if names["undecided"] else []
        spread = f", from {pulls['min']:,} to {pulls['max']:,}"
        if pulls["sd"] is not None:
            spread = f" (standard deviation {pulls['sd']:,.0f}){spread}"
        truth = " or ".join(summary["right_answers"]) or "no arm keeps the limit"
        return (
            f"{summary['policy']} with {summary['bounds']} bounds, delta = {summary['delta']:g}, {summary['trials']} runs\n"
            f"  decisions  {', '.join(answers)} of {summary['trials']:,} runs\n"
            f"  right      {summary['correct']:,} runs; {summary['wrong']:,} are wrong; the right answer: {truth}\n"
            f"{self.guesses()}"
            f"  pulls      {pulls['mean']:,.0f} on average{spread}\n"
            f"  time       {summary['seconds']:.2f} s, {summary['ns_per_pull']:,.0f} ns per pull, all workers together"
        )

    def guesses(self) -> str:
        """What the undecided runs would have recommended, as lines of the sentence."""
        counts = self.recommendations()
        if not (count := counts["right"] + counts["wrong"]):
            return ""
        claimed = next(claim for claim in counts["claimed"] if claim["confidence"] == SHOWN)
        return (
            f"  guesses    right in {counts['right']:,} of the {count:,} undecided runs; the confidence is "
            f"{100 * counts['mean_confidence']:.0f} % on average\n"
            f"  honesty    {claimed['wrong']:,} wrong guesses had a confidence of {100 * SHOWN:g} % or more; "
            f"{claimed['allowed']:g} are allowed\n"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per run, with the provenance of all of them."""
        names = self.instance.problem.names
        shared = asdict(self.provenance) | {"delta": self.instance.problem.delta}
        return [
            {
                "trial": run.trial,
                "status": STATUS[run.status],
                "arm": names[run.arm] if run.status == verdicts.BEST else None,
                "pulls": run.pulls,
                "recommended": names[run.recommended] if run.recommended >= 0 else NAMES[run.recommended],
                "confidence": run.confidence,
                "correct": None if run.status == verdicts.UNDECIDED else self.instance.is_right(run.status, run.arm),
            }
            | shared
            for run in self.runs
        ]

    def to_csv(self, path: str | Path) -> None:
        """Write the rows to a CSV file."""
        rows = self.rows()
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else ["trial"])
            writer.writeheader()
            writer.writerows(rows)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("a DataFrame needs pandas: pip install pandas") from error
        return pandas.DataFrame(self.rows())


def recommends_rightly(instance: Instance, run: Run) -> bool:
    """Is what a run recommends at its end right?"""
    status = {NO_ARM: verdicts.NO_ARM, NOTHING_YET: verdicts.UNDECIDED}.get(run.recommended, verdicts.BEST)
    return instance.is_right(status, run.recommended)
