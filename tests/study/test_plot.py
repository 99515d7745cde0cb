"""Pictures: what is in them."""

import matplotlib
import pytest

matplotlib.use("agg")
import matplotlib.pyplot as plt

from surefoot import Study
from tests.study.test_study import drive, fresh


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
