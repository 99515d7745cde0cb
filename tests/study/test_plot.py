"""Pictures: what is in them."""

import matplotlib
import pytest

matplotlib.use("agg")
import matplotlib.pyplot as plt

from surefoot import Study
from tests.study.helpers import drive, fresh


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_a_decided_study_shows_limit_arms_and_choice(ax):
    study = drive(fresh())
    assert study.plot(ax) is ax
    words = [text.get_text() for text in ax.texts]
    assert set(words) == {"A", "B", "C", " variance <= 0.04"}
    assert ax.get_title(loc="left").startswith("B is best within the limit")
    assert ax.get_xlabel() == "variance"


def test_undecided_untried_and_many_arms_can_be_drawn(ax):
    fresh().plot(ax)
    assert ax.get_title(loc="left") == "Undecided after 0 pulls"
    many = Study([str(index) for index in range(60)], risk="none")
    for pull in many.ask(60):
        many.tell(pull, 0.5)
    ax.clear()
    many.plot(ax)
    assert ax.get_xlabel() == "arm"


def test_labels_keep_clear_of_dots_and_of_each_other(ax):
    study = Study(["lower", "upper", "away"], rewards=(0, 1), risk="variance <= 0.2")
    for reward in (0.4, 0.6):
        study.record_all([("upper", reward + 0.02), ("lower", reward), ("away", reward - 0.4)])
    study.plot(ax)
    ax.figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert not boxes["upper"].overlaps(boxes["lower"])
    assert boxes["upper"].y0 > boxes["lower"].y0


def arms_of(count, risk):
    """A study with two rewards of each arm."""
    study = Study([f"arm{index}" for index in range(count)], risk=risk)
    study.record_all([(f"arm{index}", 0.5 + index % 7 / 20) for index in range(count)] * 2)
    return study


@pytest.mark.parametrize("risk", ["none", "variance <= 0.2"])
def test_very_many_arms_are_dots_that_let_the_others_be_seen(ax, risk):
    study = arms_of(60, risk)
    study.plot(ax)  # all in play
    assert [line for line in ax.lines if line.get_marker() == "None" and line.get_linestyle() == "-"] == []
    assert [text for text in ax.texts if text.get_text().startswith("arm")] == []
    assert max(len(line.get_xdata()) for line in ax.lines) == 60
    few = arms_of(60, risk)
    few.record_all([("arm3", 0.95), ("arm4", 0.9)] * 300)
    few.record_all([(f"arm{index}", 0.1) for index in range(5, 60)] * 40)
    ax.clear()
    few.plot(ax)
    playing = {row.name for row in few.table() if not row.ruled_out}
    assert 1 <= len(playing) <= 5
    assert {text.get_text() for text in ax.texts if text.get_text().startswith("arm")} == playing
    faint = [line for line in ax.lines if line.get_alpha() == 0.5]
    assert sum(len(line.get_xdata()) for line in faint) == 60 - len(playing)


@pytest.mark.parametrize("risk", ["none", "variance <= 0.2"])
def test_names_are_no_mathematics(ax, risk):
    study = Study(["$x_{$", "B"], risk=risk)
    study.record_all([("$x_{$", 0.9), ("B", 0.1)] * 200)
    study.plot(ax)
    assert ax.get_title(loc="left").startswith("$x_{$ is best")
    ax.figure.canvas.draw()
    assert 'src="data:image/png;base64,' in study._repr_html_()


@pytest.mark.parametrize("risk", ["none", "variance <= 0.04"])
def test_failed_pulls_are_on_the_label_of_their_arm(risk, ax):
    study = Study(["A", "B"], risk=risk, failure=0.5)
    for arm in 3 * "AB":
        study.record(arm, 0.5)
    study.fail(study.ask()[0], "timeout")
    study.plot(ax)
    texts = {text.get_text() for text in (*ax.texts, *ax.get_xticklabels())}
    assert {"A (1 failed)", "B"} <= texts
