"""What the results say: one finding for each combination and each bound alone, and whether it is what it should be."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from verification.search.binomial import Count
from verification.search.combinations import Combination
from verification.search.single_bound import Fail


@dataclass(frozen=True, slots=True)
class Measured:
    """Runs at one delta."""

    delta: float
    count: Count

    @property
    def ratio(self) -> float:
        """The rate of wrong runs over delta."""
        return self.count.rate / self.delta

    @property
    def fails(self) -> bool:
        return self.count.exceeds(self.delta)


@dataclass(frozen=True, slots=True)
class RateFinding:
    combination: Combination
    max_pulls: int
    random: Measured
    worst: Measured
    seed: int  # of the runs on the worst instance
    instance: str  # the worst one, as TOML
    ways: list[list[float]]  # scores of the search, restart by restart
    searched: int  # runs of the search

    @property
    def fails(self) -> bool:
        return self.random.fails or self.worst.fails

    @property
    def fresh_runs(self) -> int:
        """Those that no search chose."""
        return self.random.count.runs + self.worst.count.runs

    @property
    def command(self) -> str:
        """What does the runs on the worst instance again, bit for bit."""
        names = f"--policy {self.combination.policy} --bounds {self.combination.bounds}"
        return f"surefoot simulate {self.file} {names} --trials {self.worst.count.runs} --seed {self.seed}"

    @property
    def file(self) -> str:
        return "-".join(self.combination).rstrip("-").replace(" ", "-") + ".toml"


@dataclass(frozen=True, slots=True)
class SingleBoundFinding:
    """One bound of one family on all arms chosen against it."""

    combination: Combination
    fails_by_arm: dict[str, list[Fail]]
    at_first: dict[str, list[Fail]] = field(default_factory=dict)  # of arms watched again: what made one doubt

    @property
    def bounds(self) -> str:
        """Their name, with that of the policy if it has its own."""
        name, policy = self.combination.bounds, self.combination.policy
        return name if policy == "va-lucb" else f"{name} of {policy}"

    @property
    def fails(self) -> bool:
        return any(fail.too_often for fails in self.fails_by_arm.values() for fail in fails)

    @property
    def lengths(self) -> list[int]:
        """Of the paths, in pulls."""
        return sorted({fail.pulls for fails in self.fails_by_arm.values() for fail in fails})

    def on_arms(self, what: str, pulls: int) -> list[tuple[str, Fail]]:
        """Of paths of this length; where there is a limit, of L and U on either side of it."""
        return [
            (arm, fail)
            for arm, fails in self.fails_by_arm.items()
            for fail in fails
            if (fail.what, fail.pulls) == (what, pulls)
        ]

    def worst(self, what: str, pulls: int) -> tuple[str, Fail] | None:
        """The arm on which it failed most often, compared with what is allowed."""
        return max(self.on_arms(what, pulls), key=lambda pair: pair[1].count.rate / pair[1].level, default=None)

    def on_all(self, what: str, pulls: int) -> Count:
        """On all arms together, of which none was chosen."""
        fails = [fail for _, fail in self.on_arms(what, pulls)]
        failures = sum(fail.failures for fail in fails)
        return Count(failures, sum(fail.paths for fail in fails) - failures)


@dataclass(frozen=True, slots=True)
class Findings:
    rates: list[RateFinding]
    single_bounds: list[SingleBoundFinding]

    def sound(self) -> "Findings":
        """Of the programs as they are."""
        return self.some(broken=False)

    def controls(self) -> "Findings":
        """Of the programs broken on purpose."""
        return self.some(broken=True)

    def some(self, broken: bool) -> "Findings":
        return Findings(
            [finding for finding in self.rates if bool(finding.combination.broken) == broken],
            [finding for finding in self.single_bounds if bool(finding.combination.broken) == broken],
        )

    def objections(self) -> list[str]:
        """Sentences about all that is not as it should be."""
        sentences: list[str] = []
        sound, controls = self.sound(), self.controls()
        for rate in sound.rates:
            for where, measured in (("random instances", rate.random), ("an instance it found", rate.worst)):
                if measured.fails:
                    low, high = measured.count.interval
                    sentences.append(
                        f"{rate.combination}: wrong in {measured.count.wrong:,} of {measured.count.runs:,} runs on {where}, "
                        f"a rate of {low:.2%} to {high:.2%}, at delta = {measured.delta:.4g}"
                    )
        for finding in sound.single_bounds:
            for arm, fails in finding.fails_by_arm.items():
                for fail in fails:
                    if fail.too_often:
                        sentences.append(
                            f"{finding.combination}: {fail.what} failed on the arm {arm!r} in {in_words(fail)}"
                        )
        for rate in controls.rates:
            if not rate.fails:
                sentences.append(f"the search did not notice: {rate.combination}")
        for finding in controls.single_bounds:
            if not finding.fails:
                sentences.append(f"no arm noticed: {finding.combination}")
        return sentences


def in_words(fail: Fail) -> str:
    return f"{fail.failures:,} of {fail.paths:,} paths of {fail.pulls:,} pulls, {fail.level:.2%} allowed"


def findings(results: Iterable[dict[str, Any]]) -> Findings:
    """From the results of tasks."""
    rates: list[RateFinding] = []
    single_bounds: dict[Combination, SingleBoundFinding] = {}
    for result in results:
        combination = Combination(*result["combination"])
        if "arm" not in result:
            rates.append(rate_finding(combination, result))
            continue
        arm, fails = result["arm"], [Fail(**fail) for fail in result["fails"]]
        finding = single_bounds.setdefault(combination, SingleBoundFinding(combination, {}))
        if "recheck" in result:
            finding.at_first[arm] = [fail for fail in finding.fails_by_arm[arm] if fail.too_often]
        finding.fails_by_arm[arm] = fails
    return Findings(rates, list(single_bounds.values()))


def rate_finding(combination: Combination, result: dict[str, Any]) -> RateFinding:
    random, worst = result["random"], result["worst"]
    return RateFinding(
        combination=combination,
        max_pulls=result["max_pulls"],
        random=Measured(random["delta"], Count(*random["count"])),
        worst=Measured(worst["delta"], Count(*worst["count"])),
        seed=worst["seed"],
        instance=worst["instance"],
        ways=worst["searched"]["ways"],
        searched=worst["searched"]["runs"],
    )
