"""The diagrams of the paper: arms in the plane of variance and mean, with their sets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from surefoot.core import verdicts
from surefoot.paper.instances import beta_instance, paper_instance
from surefoot.paper.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, figure
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.simulation import Instance
from surefoot.simulation.job import BEGUN, compiled_loop
from surefoot.theory.gaps import gaps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LIMIT = 0.1
ARMS = [  # mean and variance: i*, i** and further arms of every set
    *((0.55, 0.022), (0.42, 0.015), (0.27, 0.06), (0.12, 0.022)),
    *((0.74, 0.185), (0.64, 0.13), (0.36, 0.20), (0.18, 0.132)),
]
SNAPSHOT = 36_000  # pulls after which some arms are settled and some are not


def illustration() -> Instance:
    return beta_instance([mean for mean, _ in ARMS], [variance for _, variance in ARMS], LIMIT)


def separator(instance: Instance) -> float:
    """mu-bar, half way between i* and i**, [HTZ] Section II."""
    gap = gaps(instance.unit_means, instance.unit_variances, question_of(instance.problem).variance_limit.value)
    assert gap.best is not None
    return instance.unit_means[gap.best] - gap.mean[gap.best] / 2


def frame(ax: "Axes", instance: Instance, means: bool = True, limit: bool = True) -> None:
    """Axes, the limit on the variance and the separator of the means."""
    if limit:
        at = question_of(instance.problem).variance_limit.value
        ax.axvspan(0.0, at, color=BLUE, alpha=0.07, lw=0)
        ax.axvline(at, color=VERMILION, lw=1.3, ls="--")
        ax.annotate(r" $\bar\sigma^2$", (at, 1.0), xycoords=("data", "axes fraction"), color=VERMILION, va="top")
    if means:
        at = separator(instance)
        ax.axhline(at, color=PURPLE, lw=1.3, ls="-.")
        ax.annotate(
            r"$\bar\mu$", (1.0, at), (-2, 3), ("axes fraction", "data"), "offset points", color=PURPLE, ha="right"
        )
    ax.set_xlabel("variance")
    ax.set_ylabel("mean")
    ax.set_xlim(0.0, None)


def dots(ax: "Axes", points: Sequence[tuple[float, float]], marker: str, colour: str, label: str) -> None:
    means, variances = [mean for mean, _ in points], [variance for _, variance in points]
    ax.plot(variances, means, marker, ms=15 if marker == "*" else 8, color=colour, mec="white", label=label)


def arms() -> "Figure":
    """The figure labelled `fig:F`: the four sets of arms."""
    instance = illustration()
    gap = gaps(instance.unit_means, instance.unit_variances, LIMIT)
    picture = figure(6.4, 4.4)
    ax = picture.subplots()
    groups = {
        "best": ("*", BLUE, r"$i^\star$"),
        (True, True): ("o", GREEN, r"$\mathcal{F}\cap\mathcal{S}$: feasible, suboptimal"),
        (False, False): ("^", VERMILION, r"$\bar{\mathcal{F}}^c\cap\mathcal{R}$: infeasible, risky"),
        (False, True): ("s", GREY, r"$\bar{\mathcal{F}}^c\cap\mathcal{S}$: infeasible, suboptimal"),
    }
    group = ["best" if i == gap.best else sets for i, sets in enumerate(zip(gap.feasible, gap.suboptimal, strict=True))]
    for key, look in groups.items():
        dots(ax, [arm for arm, own in zip(ARMS, group, strict=True) if own == key], *look)
    second = max((mean, variance) for (mean, variance), low in zip(ARMS, gap.suboptimal, strict=True) if low)
    ax.annotate(r"$i^{\star\star}$", (second[1], second[0]), (8, -3), textcoords="offset points")
    frame(ax, instance)
    ax.set_ylim(0.0, 1.0)
    ax.set_xlim(0.0, 0.25)
    picture.legend(loc="outside upper center", ncols=2)
    return picture


def competition() -> "Figure":
    """The figure labelled `Competition`: the arms of the comparison instances."""
    first, last = paper_instance("cmp", 1), paper_instance("cmp", 10)
    picture = figure(7.2, 4.4)
    ax = picture.subplots()
    for index, (start, end) in enumerate(zip(first.distributions, last.distributions, strict=True), start=1):
        if start.variance == end.variance:
            best = str(index) in first.right_answers
            ax.plot([start.variance], [start.mean], "*" if best else "o", ms=15 if best else 8, color=BLUE, mec="white")
        else:
            path = [paper_instance("cmp", j).distributions[index - 1].variance for j in range(1, 11)]
            ax.plot(path, [start.mean] * len(path), "-", color=VERMILION, lw=1)
            ax.plot(path, [start.mean] * len(path), "^", ms=5, color=VERMILION, mec="white")
        ax.annotate(str(index), (start.variance, start.mean), (8, -4), textcoords="offset points")
    dots(ax, [], "*", BLUE, r"$i^\star$")
    dots(ax, [], "o", BLUE, "feasible, suboptimal")
    dots(ax, [], "^", VERMILION, "infeasible, risky: instance 10 (left) to 1 (right)")
    frame(ax, first, means=False)
    ax.set_xlim(0.05, 0.25)
    ax.set_ylim(0.0, 0.7)
    picture.legend(loc="outside upper center", ncols=3)
    return picture


class Seen(NamedTuple):
    """What is known of an arm under the paper's bounds, whose radii for mean and variance are the same."""

    name: str
    mean: float
    variance: float
    radius: float
    verdict: int

    @property
    def lower(self) -> float:
        return self.mean - self.radius

    @property
    def upper(self) -> float:
        return self.mean + self.radius


def snapshot() -> list[Seen]:
    """The arms of the illustration in the middle of a run of VA-Uniform, where all have about as many pulls."""
    problem, draws = illustration().problem, illustration().draws()
    program = choice.program(problem, "va-uniform", "paper")
    state = program.start(question_of(problem), packed=True)
    generator = np.random.default_rng(0)
    advance = compiled_loop(program, (state, draws, generator, BEGUN, 0, SNAPSHOT))
    advance(state, draws, generator, BEGUN, SNAPSHOT, 2 * SNAPSHOT)
    return [
        Seen(
            name,
            float(arm["metric"]["mean"]),
            float(arm["goal"]["variance"]),
            float(arm["goal"]["upper"] - arm["goal"]["lower"]) / 2,
            int(arm["verdict"]),
        )
        for name, arm in zip(problem.names, state.arms, strict=True)
    ]


def crossbars(ax: "Axes", seen: Sequence[Seen], looks: Sequence[tuple[str, str, str]], risk: bool) -> None:
    for arm, (colour, marker, _) in zip(seen, looks, strict=True):
        ax.plot([arm.variance] * 2, [arm.lower, arm.upper], color=colour, lw=1.3)
        if risk:
            ax.plot([arm.variance - arm.radius, arm.variance + arm.radius], [arm.mean] * 2, color=colour, lw=1.3)
        ax.plot([arm.variance], [arm.mean], marker, ms=8, color=colour, mec="white")


def empirical_sets(seen: Sequence[Seen]) -> "Figure":
    """The figure labelled `fig:Ft`: what is known of the arms at a time step."""
    looks = {
        verdicts.FEASIBLE: (BLUE, "o", r"$\mathcal{F}_t$: known feasible"),
        verdicts.OPEN: (ORANGE, "D", r"$\partial\mathcal{F}_t$: not yet known"),
        verdicts.INFEASIBLE: (GREY, "X", r"$\bar{\mathcal{F}}_t^c$: known infeasible"),
    }
    picture = figure(7.2, 4.8)
    ax = picture.subplots()
    crossbars(ax, seen, [looks[arm.verdict] for arm in seen], risk=True)
    for colour, marker, label in looks.values():
        dots(ax, [], marker, colour, label)
    possible = [arm for arm in seen if arm.verdict != verdicts.INFEASIBLE]
    leader = max(possible, key=lambda arm: arm.mean)
    challenger = max((arm for arm in possible if arm is not leader), key=lambda arm: arm.upper)
    incumbent = max((arm for arm in seen if arm.verdict == verdicts.FEASIBLE), key=lambda arm: arm.mean)
    ax.axhline(incumbent.lower, color=GREEN, lw=1.2, ls=":")
    note = r"$L^\mu_{i_t^\star}$: arms whose $U^\mu$ is above are in $\mathcal{P}_t$"
    ax.annotate(
        note, (1.0, incumbent.lower), (-2, 5), ("axes fraction", "data"), "offset points", color=GREEN, ha="right"
    )
    for arm in {leader, challenger, incumbent}:
        names = {"$i_t$": leader, "$c_t$": challenger, r"$i_t^\star$": incumbent}
        label = " = ".join(name for name, named in names.items() if named is arm)
        ax.annotate(label, (arm.variance, arm.mean), (7, 6), textcoords="offset points", fontsize=12)
    frame(ax, illustration(), means=False)
    ax.set_ylim(0.0, 0.9)
    picture.legend(loc="outside upper center", ncols=3)
    return picture


def suboptimal_and_risky(seen: Sequence[Seen]) -> "Figure":
    """The figure labelled `fig:St`: the intervals of the means against the separator."""
    middle = separator(illustration())
    below = (GREEN, "o", r"$\mathcal{S}_t$: empirically suboptimal")
    above = (VERMILION, "^", r"$\mathcal{R}_t$: empirically risky")
    across = (BLACK, "D", r"$\mathcal{N}_t$: neither")
    picture = figure(7.2, 4.8)
    ax = picture.subplots()
    looks = [below if arm.upper < middle else above if arm.lower > middle else across for arm in seen]
    crossbars(ax, seen, looks, risk=False)
    for colour, marker, label in (below, above, across):
        dots(ax, [], marker, colour, label)
    frame(ax, illustration(), limit=False)
    ax.set_ylim(0.0, 0.9)
    picture.legend(loc="outside upper center", ncols=3)
    return picture


def drawn() -> "dict[str, Figure]":
    """Every diagram by its name."""
    seen = snapshot()
    return {
        "arms": arms(),
        "empirical-sets": empirical_sets(seen),
        "comparison-arms": competition(),
        "suboptimal-and-risky": suboptimal_and_risky(seen),
    }
