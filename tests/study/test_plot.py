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
