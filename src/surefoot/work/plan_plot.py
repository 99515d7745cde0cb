"""A plan as a picture: when runs are decided, as guessed and with each change; and which arms the pulls go to."""

from typing import Any

import numpy as np

from surefoot.work.plan import Plan

COLOURS = ("#222222", "#0072b2", "#d55e00", "#009e73")  # apart for every eye
LINES = ("-", "--", "-.", ":")  # and in print
MANY = 12  # bars


def paint(plan: Plan, figure: Any) -> None:
    """Draw into a matplotlib figure."""
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for outcome, colour, line in zip((plan.base, *plan.costs), COLOURS, LINES, strict=False):
        pulls = np.sort([run.pulls for run in outcome.runs.values() if run.status])
        share = np.arange(1, len(pulls) + 1) / len(outcome.runs)
        if len(pulls):
            label = outcome.change
            left.step(np.append(pulls[0], pulls), np.append(0.0, share), line, where="post", color=colour, label=label)
    made = [run.pulls for outcome in (plan.base, *plan.costs) for run in outcome.runs.values()]
    if max(made) > 5 * min(made):
        left.set_xscale("log")
        left.xaxis.set_minor_formatter(lambda x, _: f"{x:,.0f}" if f"{x:.0e}"[0] in "25" else "")
    left.xaxis.set_major_formatter("{x:,.0f}")
    left.tick_params(axis="x", which="both", labelsize="small", rotation=30)
    left.set_ylim(0.0, 1.02)
    left.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    left.set_xlabel("pulls")
    left.set_title("Runs decided after so many pulls", loc="left", fontsize="medium")
    left.grid(alpha=0.25)
    for text in left.legend(frameon=False, fontsize="small", loc="lower right").get_texts():
        text.set_parse_math(False)  # a $ in an arm's name is a $
    names = plan.base.guesses.middle.problem.names
    pulls_of = {arm: plan.base.pulls(arm) for arm in range(len(names))}
    shown = sorted(sorted(pulls_of, key=lambda arm: -pulls_of[arm]["mean"])[:MANY], reverse=True)
    means = [pulls_of[arm]["mean"] for arm in shown]
    right.barh(range(len(shown)), means, color=COLOURS[1], alpha=0.75, height=0.6)
    right.set_yticks(range(len(shown)), [names[arm] for arm in shown], parse_math=False)
    for place, arm in enumerate(shown):
        right.plot([pulls_of[arm]["mean"], pulls_of[arm]["p90"]], [place, place], color=COLOURS[0], lw=1.4)
    right.xaxis.set_major_formatter("{x:,.0f}")
    right.tick_params(axis="x", labelsize="small", rotation=30)
    right.set_xlabel("pulls on average; line: up to nine of ten runs")
    right.set_title("Pulls of each arm", loc="left", fontsize="medium")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
