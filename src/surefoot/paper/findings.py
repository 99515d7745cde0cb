"""What agrees with the paper and what does not, in sentences whose every number comes from the results."""

import math
import statistics
from collections.abc import Iterator
from typing import NamedTuple

from surefoot.paper import published
from surefoot.paper.plots import MAIN_CASES, MORE_CASES, NAMES, linear_fit
from surefoot.paper.reproduction_plan import COMPARED, DEFAULT, title
from surefoot.paper.results_table import DELTA, Results, Row

FAR = 3.0  # standard errors
LINEAR = 0.98  # R² from which on we call it a line


class Finding(NamedTuple):
    about: str
    agrees: bool | None  # None: nothing in the paper to agree with
    sentence: str

    @property
    def verdict(self) -> str:
        return {True: "agrees", False: "does not agree", None: "new"}[self.agrees]

    def __str__(self) -> str:
        return f"{self.about} ({self.verdict}). {self.sentence}"


def findings(results: Results) -> list[Finding]:
    """All that these results can say."""
    return [
        *table(results),
        *flat(results),
        *linear(results),
        *between(results),
        *cheapest(results),
        *saving(results),
        *errors(results),
        *default(results),
        *limit(results),
    ]


def table(results: Results) -> Iterator[Finding]:
    """The printed table, row by row and case by case."""
    for case in published.TABLE:
        rows = results.of(case)
        deviations = [row.deviation for row in rows if not math.isnan(row.deviation)]
        if not deviations:
            continue
        ours = statistics.fmean(row.pulls_mean for row in rows)
        theirs = statistics.fmean(row.published_mean for row in rows if row.published_mean is not None)
        far = [row.instance for row in rows if abs(row.deviation) > FAR]
        beyond = f"{spelled(len(far))} of {len(rows)} beyond {FAR:g}" if far else f"none beyond {FAR:g}"
        yield Finding(
            f"Table of unchanged cases, {title(case)}",
            not far,
            f"Our mean over {counted(len(rows), 'instance')} is {ours:,.0f} pulls, the published one {theirs:,.0f}, a "
            f"difference of {ours / theirs - 1:+.1%}. The rows deviate by {min(deviations):+.2f} to "
            f"{max(deviations):+.2f} standard errors, {beyond}.",
        )


def flat(results: Results) -> Iterator[Finding]:
    """The pulls of the three cases of the table do not depend on the instance."""
    for case in published.TABLE:
        rows = results.of(case)
        if len(rows) < 2 or any(math.isnan(row.standard_error) for row in rows):
            continue
        least, most = min(rows, key=lambda row: row.pulls_mean), max(rows, key=lambda row: row.pulls_mean)
        apart = (most.pulls_mean - least.pulls_mean) / math.hypot(most.standard_error, least.standard_error)
        yield Finding(
            f"{title(case)} is the same for all instances",
            apart <= FAR,
            f"The largest mean (instance {most.instance}) is {most.pulls_mean / least.pulls_mean - 1:.1%} above the "
            f"smallest (instance {least.instance}), {apart:.1f} standard errors; in the paper {published_range(case):.1%}.",
        )


def published_range(case: str) -> float:
    means = [mean for mean, _ in published.TABLE[case]]
    return max(means) / min(means) - 1.0


def linear(results: Results) -> Iterator[Finding]:
    """Pulls grow linearly with H_VA ln(H_VA / delta)."""
    fits = {case: linear_fit(results.of(case)) for case in (*MAIN_CASES, *MORE_CASES) if len(results.of(case)) > 2}
    if fits:
        told = ", ".join(f"{title(case)} {slope:.2f} (R² {square:.4f})" for case, (slope, _, square) in fits.items())
        yield Finding(
            "Pulls are linear in H_VA ln(H_VA/δ)",
            all(square >= LINEAR for _, _, square in fits.values()),
            f"Slopes of the linear fits: {told}.",
        )


def between(results: Results) -> Iterator[Finding]:
    """All lie between 1 and 3 times H_VA ln(H_VA / delta)."""
    rows = [row for row in results.of() if row.case != "cmp"]
    if not rows:
        return
    low, high = published.BETWEEN
    ratios = {row: row.pulls_mean / row.difficulty for row in rows}
    least, most = min(rows, key=ratios.__getitem__), max(rows, key=ratios.__getitem__)
    outside = [row for row in rows if not low <= ratios[row] <= high]
    which = f" Outside: {', '.join(map(place, outside))}." if outside else ""
    yield Finding(
        f"VA-LUCB takes between {low:g} and {high:g} times H_VA ln(H_VA/δ) pulls",
        not outside,
        f"Over {counted(len(rows), 'instance')} it takes between {ratios[least]:.2f} ({place(least)}) and "
        f"{ratios[most]:.2f} times as many ({place(most)}).{which}",
    )


def cheapest(results: Results) -> Iterator[Finding]:
    """VA-LUCB needs the fewest pulls of the three algorithms in all comparison instances."""
    rows = {policy: results.of("cmp", policy) for policy in COMPARED}
    if not all(rows.values()):
        return
    ours = rows["va-lucb"]
    for policy in COMPARED[1:]:
        ratios = [theirs.pulls_mean / mine.pulls_mean for mine, theirs in zip(ours, rows[policy], strict=True)]
        yield Finding(
            f"VA-LUCB outperforms {NAMES[policy]} in all instances",
            min(ratios) > 1.0,
            f"{NAMES[policy]} takes {min(ratios):.2f} to {max(ratios):.2f} times as many pulls, over "
            f"{counted(len(ours), 'comparison instance')}.",
        )


def saving(results: Results) -> Iterator[Finding]:
    """About 32 % fewer pulls than RiskAverse-UCB-BAI on the riskiest instance."""
    ours = [row for row in results.of("cmp") if row.instance == 10]
    theirs = [row for row in results.of("cmp", "risk-averse-ucb") if row.instance == 10]
    if not (ours and theirs) or ours[0].pulls_sd is None:
        return
    a, b = ours[0], theirs[0]
    ratio = a.pulls_mean / b.pulls_mean
    error = ratio * math.hypot(a.standard_error / a.pulls_mean, b.standard_error / b.pulls_mean)
    away = 1.0 - ratio - published.SAVING
    yield Finding(
        f"VA-LUCB takes about {published.SAVING:.0%} fewer pulls than RiskAverse-UCB-BAI on the riskiest instance",
        abs(away) <= FAR * error + 0.005,  # it is printed to a hundredth
        f"It takes {1.0 - ratio:.1%} fewer, a deviation of {away / error:+.1f} standard errors of ours; the paper prints "
        "none of its own.",
    )


def errors(results: Results) -> Iterator[Finding]:
    """The guarantee itself."""
    trials, right = sum(row.trials for row in results.rows), sum(row.correct for row in results.rows)
    worst = max(results.rows, key=lambda row: row.trials - row.correct)
    where = f", at most {worst.trials - worst.correct} of {worst.trials} in one row" if right < trials else ""
    yield Finding(
        f"At most {DELTA:.0%} of the runs may be wrong",
        trials - right <= DELTA * trials,
        f"{trials - right:,} of {trials:,} runs did not end with the right answer{where}.",
    )


def default(results: Results) -> Iterator[Finding]:
    """What our default does on the same instances."""
    ours = {(row.case, row.instance): row for row in results.of(None, *DEFAULT)}
    ratios: dict[Row, float] = {}
    for row in results.of(bounds="paper"):
        if (row.case, row.instance) in ours:
            ratios[row] = row.pulls_mean / ours[row.case, row.instance].pulls_mean
    if ratios:
        middle = math.exp(statistics.fmean(map(math.log, ratios.values())))
        least, most = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
        yield Finding(
            "Our default on the same instances",
            None,
            f"{' with '.join(DEFAULT)} bounds takes {middle:.0f} times fewer pulls than VA-LUCB with the paper's (geometric "
            f"mean over {counted(len(ratios), 'instance')}), from {ratios[least]:.1f} times ({place(least)}) to "
            f"{ratios[most]:.0f} times ({place(most)}).",
        )


def limit(results: Results) -> Iterator[Finding]:
    """How far from the fewest pulls possible."""
    said = []
    for policy, bounds in dict.fromkeys((row.policy, row.bounds) for row in results.rows):
        rows = results.of(None, policy, bounds)
        over = [row.pulls_mean / row.limit for row in rows]
        middle = math.exp(statistics.fmean(map(math.log, over)))
        said.append(
            f"{policy} with {bounds} {middle:,.1f} times as many (geometric mean over {counted(len(rows), 'instance')}; "
            f"from {min(over):,.1f} to {max(over):,.1f})"
        )
    if said:
        yield Finding("Against the fewest pulls that anyone could need", None, f"It takes {'; '.join(said)}.")


def place(row: Row) -> str:
    return f"{title(row.case)}, instance {row.instance}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def spelled(number: int) -> str:
    return {1: "one", 2: "two", 3: "three"}.get(number, str(number))
