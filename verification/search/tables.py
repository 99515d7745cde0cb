"""The findings as rows of tables, for the page and for the docs alike."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from verification.search.binomial import Count
from verification.search.findings import Findings, Measured, RateFinding, SingleBoundFinding, in_words
from verification.search.recheck import TIMES


class Table(NamedTuple):
    heads: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        lines = [f"| {' | '.join(self.heads)} |", "|" + "---|" * len(self.heads)]
        return "\n".join(lines + [f"| {' | '.join(row)} |" for row in self.rows]) + "\n"


def percent(rate: float) -> str:
    """Two significant digits, but no more than are of use.

    >>> percent(0.0), percent(0.000265), percent(0.1234)
    ('0 %', '0.026 %', '12 %')
    """
    return f"{100.0 * rate:.2g} %" if rate < 0.995 else f"{100.0 * rate:.0f} %"


def interval(count: Count) -> str:
    low, high = count.interval
    return f"{percent(low)} to {percent(high)}"


def counted(measured: Measured) -> list[str]:
    count = measured.count
    return [f"{measured.delta:.3g}", f"{count.wrong:,} / {count.runs:,}", f"{count.undecided:,}", interval(count)]


def rates(findings: list[RateFinding]) -> Table:
    heads = ["policy", "bounds", "rewards", "risk", "pulls at most"]
    heads += ["random: delta", "wrong / runs", "undecided", "99 % interval"]
    heads += ["worst found: delta", "wrong / runs", "undecided", "99 % interval", "rate / delta", "verdict"]
    return Table(
        heads,
        [
            [
                *finding.combination[:4],
                f"{finding.max_pulls:,}",
                *counted(finding.random),
                *counted(finding.worst),
                f"{finding.worst.ratio:.2f}",
                "**too often wrong**" if finding.fails else "holds",
            ]
            for finding in findings
        ],
    )


def controls(findings: Findings) -> Table:
    """What was broken on purpose, and whether it was noticed."""
    heads = ["policy", "bounds", "rewards", "risk", "broken", "worst found: delta", "wrong / runs", "99 % interval"]
    return Table(
        [*heads, "rate / delta", "noticed"],
        [
            [
                *finding.combination,
                f"{finding.worst.delta:.3g}",
                f"{finding.worst.count.wrong:,} / {finding.worst.count.runs:,}",
                interval(finding.worst.count),
                f"{finding.worst.ratio:.1f}",
                "yes" if finding.fails else "**no**",
            ]
            for finding in findings.rates
        ],
    )


def single_bounds(findings: list[SingleBoundFinding]) -> Table:
    """Of each bound and length of path, the arm on which it failed most often, compared with what is allowed."""
    heads = ["bounds", "rewards", "risk", "what", "pulls", "worst arm", "failed / paths", "99 % interval"]
    return Table(
        [*heads, "all arms", "allowed", "verdict"], [row for finding in findings for row in single_bound_rows(finding)]
    )


def single_bound_rows(finding: SingleBoundFinding) -> Iterator[list[str]]:
    for what, pulls in itertools.product(("L", "U", "FEASIBLE", "INFEASIBLE"), finding.lengths):
        if worst := finding.worst(what, pulls):
            arm, fail = worst
            failed = fail.too_often
            verdict = (
                ("noticed" if failed else "") if finding.combination.broken else "**fails**" if failed else "holds"
            )
            _, kind, risk, broken = finding.combination[1:]
            yield [
                finding.bounds + (f", broken {broken}" if broken else ""),
                *(kind, risk, what, f"{pulls:,}", arm, f"{fail.failures:,} / {fail.paths:,}"),
                *(interval(fail.count), percent(finding.on_all(what, pulls).rate), percent(fail.level), verdict),
            ]


def in_short(findings: Findings) -> list[str]:
    """The findings in a few sentences."""
    sound, broken = findings.sound(), findings.controls()
    sentences = []
    if sound.rates:
        runs = sum(finding.fresh_runs for finding in sound.rates)
        searched = sum(finding.searched for finding in sound.rates)
        worst = max(sound.rates, key=lambda finding: finding.worst.ratio)
        fewest = min(finding.fresh_runs for finding in sound.rates)
        sentences += [
            f"{len(sound.rates)} combinations, {runs:,} runs ({fewest:,} or more of each), {searched:,} more of the search.",
            f"The highest rate of wrong answers that the search found is {worst.worst.ratio:.2f} times delta "
            f"({worst.combination}: {worst.worst.count.wrong:,} of {worst.worst.count.runs:,} runs at delta = "
            f"{worst.worst.delta:.3g}).",
        ]
    if broken.rates:
        noticed = sum(finding.fails for finding in broken.rates)
        sentences.append(f"Of {len(broken.rates)} programs broken on purpose, the same search noticed {noticed}.")
    if sound.single_bounds:
        pairs = sum(len(finding.fails_by_arm) for finding in sound.single_bounds)
        longest = max(finding.lengths[-1] for finding in sound.single_bounds)
        failing = sum(finding.fails for finding in sound.single_bounds)
        sentences.append(
            f"{len(sound.single_bounds)} bounds alone on arms chosen against them ({pairs} pairs, up to {longest:,} pulls): "
            f"{failing} failed more often than they may."
        )
        sentences += [
            f"Watched again on {TIMES} times as many fresh paths, which alone are judged: {finding.bounds} "
            f"({', '.join(finding.combination[2:4])}) on the arm {arm!r}, where {fail.what} had failed in {in_words(fail)}."
            for finding in sound.single_bounds
            for arm, fails in finding.at_first.items()
            for fail in fails
        ]
    if broken.single_bounds:
        noticed = sum(finding.fails for finding in broken.single_bounds)
        sentences.append(f"Of {len(broken.single_bounds)} bounds broken on purpose, {noticed} were noticed.")
    return sentences
