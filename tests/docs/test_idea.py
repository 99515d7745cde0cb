"""The picture of the README is drawn from a study: every arm has a mark and a word, on the right side of the limit."""

import re
from pathlib import Path
from runpy import run_path
from xml.etree import ElementTree

import numpy as np
import pytest

from surefoot import Study
from surefoot.work.demo import COMPRESSORS

IMAGES = Path(__file__).parents[2] / "docs" / "images"
IDEA = run_path(str(IMAGES / "idea.py"))
TEXT = "{http://www.w3.org/2000/svg}text"


@pytest.fixture(scope="module")
def study():
    generator = np.random.default_rng(0)
    study = Study(["steady", "<bold>", "poor"], risk="std <= 0.1", rewards=(0, 1))
    laws = {"steady": (0.6, 0.02), "<bold>": (0.7, 0.25), "poor": (0.5, 0.03)}
    while not study.decided:
        for pull in study.ask():
            middle, reach = laws[pull.arm]
            study.tell(pull, middle + generator.uniform(-reach, reach))
    return study


def test_every_arm_has_its_word_and_the_answer_a_star(study):
    drawn = ElementTree.fromstring(IDEA["picture"](study))
    labels = {text.text: text.get("class") for text in drawn.iter(TEXT)}
    assert labels["steady: the answer"] == "good bold"
    assert labels["<bold>: saves more"] == "bad"
    assert labels["poor: saves less"] == "dim"
    assert len(drawn.findall(".//{*}circle")) == 2
    assert len(drawn.findall(".//{*}path[@class='star good bold']")) == 1


def test_dots_are_where_the_numbers_are(study):
    drawn = ElementTree.fromstring(IDEA["picture"](study))
    limit = float(re.match(r"M([\d.]+)", drawn.find(".//{*}path[@class='limit']").get("d"))[1])
    bad, dim = (float(drawn.find(f".//{{*}}circle[@class='{style}']").get("cx")) for style in ("bad", "dim"))
    assert dim < limit < bad


def test_labels_that_are_close_do_not_meet():
    taken = []
    for _ in range(4):
        taken.append(IDEA["free"]("an arm: saves less", 400.0, 200.0, taken))
    assert not any(one.meets(other) for index, one in enumerate(taken) for other in taken[:index])


def test_the_picture_of_the_readme_is_of_the_demo():
    drawn = (IMAGES / "idea.svg").read_text()
    assert " is best: its mean is " in drawn
    assert " of one trial of each arm on each of these " in drawn
    assert all(f">{name}: " in drawn for name in COMPRESSORS)
    assert "prefers-color-scheme: dark" in drawn
