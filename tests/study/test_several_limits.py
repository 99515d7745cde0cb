"""What people see of several metrics and limits, from reports made by hand."""

from dataclasses import dataclass, replace

import matplotlib
import pytest

matplotlib.use("agg")
import matplotlib.pyplot as plt

from surefoot import Study
from surefoot.core import verdicts
from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.study.views import arm_report, decision, numbers, phrases
from surefoot.study.views.arm_report import ArmReport, GoalReport, LimitReport
from surefoot.study.views.axes import nearest_limit
from surefoot.study.views.decision import Decision
from surefoot.study.views.html import table as html_table
from surefoot.study.views.limit_numbers import doubtful
from surefoot.study.views.numbers import Shown
from surefoot.study.views.plot import plot
from surefoot.study.views.study_progress import arm_grid
from surefoot.study.views.study_view import limit_lines
from surefoot.study.views.table import Table

OF_LATENCY, OF_COST, OF_FLOOR, OF_ERRORS = TEXTS = (
    "quantile(0.95, latency) <= 2",
    'std("cost (EUR)") <= 3',
    "quantile(0.05, accuracy) >= 0.25",
    "probability(latency > 5) <= 0.01",
)
SEVERAL = Problem(
    ["small", "large"],
    goal="max mean(accuracy)",
    metrics={"accuracy": (0, 1), "latency": (0, 10), "cost (EUR)": (0, 50)},
    limits=[{"limit": OF_LATENCY, "slack": 0.1}, OF_COST, OF_FLOOR, OF_ERRORS],
)
LATENCY, COST, FLOOR, ERRORS = SEVERAL.limits
ONE_METRIC = Problem(["small"], limits=["variance <= 0.04", "std <= 0.3"])


def row(name, values, found="feasible", **fields):
    goal = GoalReport("mean(accuracy)", 0.91, 0.88, 0.94)
    limits = tuple(
        LimitReport(text, value, 0.9 * value, 1.1 * value, found, 0.4)
        for text, value in zip(TEXTS, values, strict=True)
    )
    fields = {"verdict": found, "evidence": 0.4, "ruled_out": found == "infeasible", "words": "words"} | fields
    return ArmReport(name, 100, goal, limits, **fields)


BEST = row("small", (1.8, 1.25, 0.5, 0.004), words="the best")
OTHER = row("large", (2.5, 0.5, 0.6, 0.002), "infeasible")


def test_a_limited_number_is_on_the_scale_of_its_own_metric_and_cut_at_its_own_limit():
    shown = numbers.limited(SEVERAL, LATENCY, verdicts.OPEN, (0.1, 0.3), 0.21)
    assert shown == pytest.approx((1.0, 2.1, 3.0, None))
    shown = numbers.limited(SEVERAL, LATENCY, verdicts.FEASIBLE, (0.1, 0.3), 0.25)
    assert shown == pytest.approx((1.0, 2.1, 2.1, 2.5))  # with the slack
    assert numbers.breaks(SEVERAL, LATENCY, 2.2)
    assert not numbers.breaks(SEVERAL, LATENCY, 2.05)
    assert not numbers.breaks(SEVERAL, FLOOR, 0.3)


def test_of_a_metric_that_is_not_the_goal_nothing_is_mirrored():
    least = SEVERAL.but(goal="min mean(accuracy)")
    assert numbers.limited(least, LATENCY, verdicts.OPEN, (0.1, 0.3), 0.21) == pytest.approx((1.0, 2.1, 3.0, None))
    assert numbers.limited(least, FLOOR, verdicts.OPEN, (0.1, 0.3), 0.2) == pytest.approx((0.7, 0.8, 0.9, None))


def test_the_answer_names_each_of_its_limits():
    said = decision.its_numbers(SEVERAL, BEST, ".2f", "at least 0.88")
    assert said == (
        "its mean(accuracy) is 0.91 (at least 0.88), its quantile(0.95, latency) is 1.800 (within 2.1), "
        'its std("cost (EUR)") is 1.250 (within 3), its quantile(0.05, accuracy) is 0.500 (at least 0.25) '
        "and its probability(latency > 5) is 0.004000 (within 0.01)"
    )


def test_an_infeasible_arm_names_what_it_breaks_and_what_it_breaks_alone():
    found = ("infeasible", "feasible", "open", "infeasible")
    reports = [replace(one, verdict=verdict) for one, verdict in zip(OTHER.limits, found, strict=True)]
    assert arm_report.said_broken(SEVERAL, reports) == (
        "its quantile(0.95, latency) is above 2 and its probability(latency > 5) is above 0.01"
    )
    floor = [replace(one, verdict="infeasible" if place == 2 else "open") for place, one in enumerate(OTHER.limits)]
    assert arm_report.said_broken(SEVERAL, floor) == "its quantile(0.05, accuracy) is below 0.25"


def test_no_feasible_arm_says_who_breaks_what():
    assert decision.who_breaks(SEVERAL, [["a", "b", "c"], [], ["c"], []]) == (
        f"a, b and c break {OF_LATENCY}; c breaks {OF_FLOOR}"
    )
    assert decision.who_breaks(SEVERAL.but(limits=[COST]), [["a"]]) == 'the std("cost (EUR)") of each is above 3'


def test_an_open_arm_says_how_far_it_is_on_the_limit_that_matters():
    """That which looks broken most; or the one that is least shown to be kept."""
    assert doubtful([(0.3, 0.1), (0.2, 0.0), (0.1, 0.3), (0.0, 0.1)]) == 2
    assert arm_report.said_open(SEVERAL, [(0.3, 0.1), (1.0, 0.0), (0.1, 0.3), (0.9, 0.0)]) == (
        "30% of the way to showing that its quantile(0.05, accuracy) is below 0.25"
    )
    assert arm_report.said_open(SEVERAL, [(0.3, 0.1), (1.0, 0.0), (0.6, 0.3), (0.9, 0.0)]) == (
        "30% of the way to showing that its quantile(0.95, latency) is within 2.1"
    )
    assert arm_report.said_open(SEVERAL, [(0.3, 0.1), (1.0, 0.0), (0.6, 0.3), (0.0, 0.0)]) == (
        "it is not known yet whether its probability(latency > 5) is within 0.01"
    )


def test_a_feasible_arm_keeps_all_limits():
    assert arm_report.said_kept(SEVERAL) == "it keeps all limits; "
    assert arm_report.said_kept(ONE_METRIC.but(limits=ONE_METRIC.limits[:1])) == "its variance is within 0.04; "
    assert arm_report.said_kept(SEVERAL.but(limits=[])) == ""


def test_what_is_known_of_the_only_arm_is_said_of_each_limit():
    limits = (replace(BEST.limits[0], verdict="open"), BEST.limits[1])
    two = SEVERAL.but(limits=[LATENCY, COST])
    assert decision.said_known(two, replace(BEST, limits=limits)) == (
        ' It is not known yet whether its quantile(0.95, latency) is within 2.1. Its std("cost (EUR)") is within 3.'
    )


def test_phrases_speak_of_one_limit_or_of_all():
    one, none = SEVERAL.but(limits=[COST]), SEVERAL.but(limits=[])
    said = [phrases.could_be_best(problem, ["a", "b"]) for problem in (none, one, SEVERAL)]
    still = "a and b could each still be the best"
    assert said == [still, f"{still} within the limit", f"{still} within all limits"]
    assert phrases.at_most_worse(SEVERAL, 0.0) == "and no other arm can have a better mean(accuracy)"


def test_samples_that_moved_are_said_of_each_limit():
    mean = Shown(0.8, 0.9, 0.95, 0.96)
    limited = [Shown(1, 2, 2.1, 2.5), Shown(1, 2, 3), Shown(0.3, 0.3, 0.4, 0.2), Shown(0, 0, 0)]
    assert phrases.said_moved(SEVERAL, mean, limited, ".2f") == (
        "; but by now the quantile(0.95, latency) of its results is 2.5, on the other side of the limit, "
        "and the quantile(0.05, accuracy) of its results is 0.2, on the other side of the limit, "
        "and the mean(accuracy) of its results is 0.96, outside its bounds"
    )


def test_the_row_has_every_limit_and_no_short_names():
    found = BEST.as_object()
    assert found["goal"] == {"quantity": "mean(accuracy)", "value": 0.91, "lower": 0.88, "upper": 0.94}
    assert [limit["limit"] for limit in found["limits"]] == [*TEXTS]
    assert set(found["limits"][0]) == {"limit", "value", "lower", "upper", "verdict", "evidence"}
    assert {found[name] for name in ("mean", "mean_lower", "risk", "risk_upper")} == {None}
    short = replace(BEST, limits=BEST.limits[:1], goal=GoalReport("mean", 0.9, float("-inf"), 1.0)).as_object()
    assert (short["mean"], short["mean_lower"], short["risk"]) == (0.9, None, 1.8)
    assert short["goal"]["lower"] is None


def test_a_table_has_columns_for_each_limit():
    table = Table(SEVERAL, [BEST, OTHER])
    interval = "interval of the mean(accuracy)"
    between = [head for text in TEXTS for head in (text, "its interval")]
    assert table.heads == ("arm", "pulls", "mean(accuracy)", interval, *between, "verdict")
    assert table.cells()[0][4:8] == ("1.800", "1.620 … 1.980", "1.250", "1.125 … 1.375")
    assert len(table.cells()[0]) == len(table.heads) == len(table.short_heads)
    assert table.short_heads[4] == "quantile(0.95, latency)"
    head = table.fitted(140).splitlines()[0].split("  ")
    names = ["arm", "pulls", "mean(accuracy)", "its interval"]
    names += [limit.name for limit in SEVERAL.limits]
    assert [name.strip() for name in head if name] == [*names, "verdict"]
    assert all(
        text.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;") in html_table(table) for text in TEXTS
    )


@pytest.mark.parametrize("marks", [None, {"small": "▶"}])
@pytest.mark.parametrize(("width", "limits", "intervals"), [(50, 0, 0), (80, 2, 0), (140, 4, 1), (260, 4, 5)])
def test_a_terminal_shows_as_many_limits_as_it_has_room_for(width, limits, intervals, marks):
    grid = arm_grid(Table(SEVERAL, [BEST, OTHER]), width, marks)
    heads = [column.header for column in grid.columns]
    names = [limit.name for limit in SEVERAL.limits]
    assert [head for head in heads if head in names] == names[:limits]
    assert heads.count("its interval") == intervals
    assert sum(column.width for column in grid.columns) + 2 * len(heads) <= width + 1
    assert next(iter(grid.columns[0].cells)).plain.endswith("small")


def test_a_data_frame_has_columns_for_each_limit():
    pytest.importorskip("pandas")
    frame = Table(SEVERAL, [BEST, OTHER]).to_pandas()
    assert frame["mean(accuracy)"].tolist() == [0.91, 0.91]
    assert frame[OF_LATENCY].tolist() == [1.8, 2.5]
    assert frame[f"{OF_LATENCY}: verdict"].tolist() == ["feasible", "infeasible"]
    assert not {"mean", "risk", "goal", "limits"} & set(frame.columns)


def test_limits_as_lines_to_draw():
    assert limit_lines(SEVERAL)[0]._asdict() == {
        "limit": OF_LATENCY,
        "name": "quantile(0.95, latency)",
        "metric": "latency",
        "value": 2.0,
        "slack": 0.1,
        "is_floor": False,
    }


DECISION = Decision("best", "small", 200, 0.95, "small is best.")


@dataclass(frozen=True)
class Drawn:
    """What a picture is made of."""

    rows: tuple[ArmReport, ...]
    problem: Problem = SEVERAL
    decision: Decision = DECISION
    warnings: tuple[str, ...] = ()

    def table(self):
        return Table(self.problem, self.rows)


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_the_picture_has_the_limit_that_the_leader_is_nearest_to_breaking(ax):
    plot(Drawn((BEST, OTHER)), ax)
    assert nearest_limit(SEVERAL, [BEST, OTHER], "small") == 0
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("quantile(0.95, latency)", "mean(accuracy) (higher is better)")
    assert f" {OF_LATENCY}" in {text.get_text() for text in ax.texts}
    assert ax.get_title(loc="left") == "small is best within all limits, after 200 pulls"
    near_errors = row("small", (1.0, 1.25, 0.5, 0.0099))
    assert nearest_limit(SEVERAL, [near_errors, OTHER], "small") == 3
    near_floor = row("small", (1.0, 1.25, 0.26, 0.005))
    assert nearest_limit(SEVERAL, [near_floor, OTHER], "small") == 2
    assert nearest_limit(SEVERAL, [BEST], None) == 0
    assert nearest_limit(SEVERAL.but(limits=[]), [BEST], "small") is None


@pytest.mark.parametrize("x", [1, OF_COST, 'std("cost (EUR)")'])
def test_the_axes_of_a_picture_can_be_chosen(ax, x):
    plot(Drawn((BEST, OTHER)), ax, x=x, y=3)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ('std("cost (EUR)")', "probability(latency > 5)")
    assert {f" {OF_COST}", OF_ERRORS} <= {text.get_text() for text in ax.texts}
    ax.clear()
    plot(Drawn((BEST, OTHER)), ax, x="goal", y=OF_LATENCY)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean(accuracy) (higher is better)", "quantile(0.95, latency)")


@pytest.mark.parametrize("wrong", [4, -1, "latency", True])
def test_an_axis_that_there_is_not_is_refused(ax, wrong):
    with pytest.raises(
        InvalidValue, match=r"x must be 'goal', 'quantile.* or the number of a limit, which begins with 0"
    ):
        plot(Drawn((BEST,)), ax, x=wrong)


def test_without_a_limit_nothing_is_said_of_a_risk():
    """With the paper's bounds, the first row was "100% of the way to showing that its risk is within inf"."""
    study = Study(["A", "B"], bounds="paper")
    study.record("A", 0.5)
    assert [row.words for row in study.table()] == ["it may be the best", "not yet tried"]
    assert [row.limits for row in study.table()] == [(), ()]


def test_a_study_of_a_metric_with_a_name_speaks_of_it():
    metrics = {"accuracy": (0, 1), "latency": "any"}
    study = Study(
        ["small", "large"],
        goal="max mean(accuracy)",
        metrics=metrics,
        limits=["variance(accuracy) <= 0.04"],
        failure={"accuracy": 0, "latency": 30},
    )
    study.fail(study.ask()[0], "timeout")
    assert "Pulls that failed count as accuracy 0, latency 30: small (1)." in str(study.decision)
    while not study.decided:
        pulls = study.ask()
        study.tell_all([(pull, {"accuracy": 0.5 + 0.3 * (pull.arm == "large"), "latency": 1.5}) for pull in pulls])
    said = str(study.decision)
    assert said.startswith("large is best: its mean(accuracy) is 0.800 (at least ")
    assert ") and its variance(accuracy) is 0.0" in said
    assert "Every other arm that may be within the limit surely has a lower mean(accuracy)" in said
    assert study.table()[1].goal.quantity == "mean(accuracy)"
    assert study.standing().recent[0].values == {"accuracy": 0.8, "latency": 1.5}
    assert study.standing().recent[0].reward is None
