"""The mean-risk plane: arms as dots with their intervals as crossbars, the limit as a line, the feasible side shaded."""

from typing import TYPE_CHECKING, Any

from surefoot.risk import NoRisk

if TYPE_CHECKING:
    from surefoot.study.study import Study

CHOSEN, OPEN, OUT = "#0072b2", "#333333", "#b0b0b0"  # blue, near black, grey: apart for every eye, and in print
MANY = 40  # arms, beyond which only those still in play are labelled


def plot(study: "Study", ax: Any = None) -> Any:
    """Draw a study into a matplotlib axes, the current one by default, and return it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("drawing needs matplotlib: pip install 'surefoot[plot]'") from error
    ax = ax or plt.gca()
    rows, problem, decision = study.table(), study.problem, study.decision
    risky = not isinstance(problem.risk, NoRisk)
    across = {row.name: (row.risk, row.risk_lower, row.risk_upper) for row in rows}
    if not risky:
        across = {row.name: (float(index), float(index), float(index)) for index, row in enumerate(rows)}
    drawn = [row for row in rows if row.mean is not None and across[row.name][0] is not None]
    right = max(
        [value for row in drawn for value in (across[row.name][0] or 0.0,)] + [problem.risk.at_most if risky else 0]
    )
    for row in drawn:
        risk, low, high = across[row.name]
        colour = CHOSEN if row.name == decision.arm else OUT if gone(row.words, row.verdict) else OPEN
        order = {CHOSEN: 3, OPEN: 2, OUT: 1}[colour]
        ax.plot([low, high], [row.mean, row.mean], color=colour, lw=1.2, zorder=order)
        ax.plot([risk, risk], [row.mean_lower, row.mean_upper], color=colour, lw=1.2, zorder=order)
        marker = "*" if row.name == decision.arm else "o"
        ax.plot(
            [risk], [row.mean], marker, color=colour, ms=15 if marker == "*" else 5.5, zorder=order + 1, mec="white"
        )
        if len(drawn) <= MANY or colour != OUT:
            ax.annotate(row.name, (risk, row.mean), (6, 5), textcoords="offset points", color=colour, zorder=order + 2)
    if risky:
        limit = problem.risk.at_most
        left = min(0.0, *ax.get_xlim())
        ax.set_xlim(0.0, 1.25 * right)
        ax.axvspan(left, limit, color=CHOSEN, alpha=0.07, lw=0)
        ax.axvline(limit, color="#d55e00", lw=1.4, ls="--")
        ax.annotate(f" {problem.risk}", (limit, 1.0), (2, -4), xycoords=("data", "axes fraction"), va="top",
                    textcoords="offset points", color="#d55e00", fontsize="small")  # fmt: skip
        ax.set_xlabel(problem.risk.name)
    else:
        ax.set_xticks(range(len(rows)) if len(rows) <= MANY else [])
        ax.set_xlabel("arm")
    ax.set_ylabel(f"mean reward ({'higher' if problem.goal == 'max' else 'lower'} is better)")
    ax.set_title(title(study), loc="left", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def gone(words: str, verdict: str) -> bool:
    return verdict == "infeasible" or words.startswith("mean at")


def title(study: "Study") -> str:
    decision = study.decision
    if decision.status == "best":
        return f"{decision.arm} is best within the limit, after {decision.pulls:,} pulls"
    if decision.status == "infeasible":
        return f"No arm qualifies, after {decision.pulls:,} pulls"
    return f"Undecided after {decision.pulls:,} pulls"
