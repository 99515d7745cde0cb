"""What a notebook shows of a study and of its decision."""

import pickle
import sys
from dataclasses import asdict

import pytest

from surefoot import Study
from surefoot.errors import Caution
from tests.study.helpers import drive, fresh


def test_a_study_and_its_decision_show_sentence_table_and_picture():
    study = drive(fresh())
    page = study._repr_html_()
    assert page == study.decision._repr_html_()
    assert page.startswith("<p>B is best")
    assert page.count("<tr>") == 4
    assert 'src="data:image/png;base64,' in page


def test_a_decision_of_before_shows_its_own_sentence_only():
    study = Study(["A", "B"], rewards=(0, 1))
    before = study.decision
    assert "<img" not in before._repr_html_()  # nothing was tried yet
    study.record("A", 0.5)
    assert before._repr_html_() == "<p>Undecided after 0 pulls: A and B could each still be the best arm.</p>"
    assert "<img" in study.decision._repr_html_()


def test_names_are_escaped():
    study = Study(["<b>", "B"], rewards=(0, 1))
    study.record("<b>", 0.5)
    assert "<b>" not in study._repr_html_()


def test_a_table_is_one_in_a_notebook_too():
    study = drive(fresh())
    page = study.table()._repr_html_()
    assert page.startswith("<table><tr><th>arm</th>")
    assert page.count("<tr>") == 4
    assert page in study._repr_html_()


def test_many_arms_are_cut_short_and_not_drawn():
    study = Study([str(index) for index in range(600)], rewards=(0, 1))
    study.record("0", 0.5)
    page = study._repr_html_()
    assert "and 550 more arms" in page
    assert "<img" not in page


def test_without_matplotlib_there_is_no_picture(monkeypatch):
    study = drive(fresh())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "<img" not in study._repr_html_()


RECOMMENDED = ["recommended", "recommended_confidence", "recommended_gap", "candidates"]


def test_a_decision_is_plain_data():
    decision = drive(fresh()).decision
    assert list(asdict(decision)) == ["status", "arm", "pulls", "confidence", "sentence", *RECOMMENDED]
    again = pickle.loads(pickle.dumps(decision))
    assert again == decision
    assert again._repr_html_() == f"<p>{decision}</p>"


def test_a_warning_stands_there_once():
    """Behind failures, the one that the sentence has stood there twice."""
    with pytest.warns(Caution):
        study = Study(["A", "B"], delta=0.95)
    study.fail(study.ask(1)[0], "timeout")
    assert study._repr_html_().count("did you mean 0.05?") == 1
