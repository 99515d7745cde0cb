"""The Python of the pages for users runs, the commands they name exist, and the generated table is of this program."""

import json
import re
import shlex
from functools import cache
from pathlib import Path

import matplotlib
import pytest

import surefoot
from benchmarks import warnings
from surefoot.cli.main import parser
from surefoot.study import watch
from surefoot.work import columns, independence
from tests.docs.test_readme import noisy
from tests.statistical.binomial import too_many
from verification import peeking

matplotlib.use("agg")
DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "start.md", *sorted((DOCS / "guides").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {
        "measure": lambda arm: noisy({"A": 0.3, "B": 0.7, "C": 0.4}[arm]),
        "measure_a": lambda: noisy(0.3),
        "measure_b": lambda: noisy(0.7),
    }
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    for code in blocks:
        exec(code, names)
        if "study" in names and names["study"].decided:
            assert names["study"].decision.arm == "B"
    if "sweep" in names:
        assert names["sweep"].summary()["correct"] == 40


def test_commands_of_the_pages_exist():
    for page in DOCS.rglob("*.md"):
        for line in re.findall(r"^surefoot (.*)", page.read_text(), re.MULTILINE):
            parser().parse_args(shlex.split(line, comments=True))


def test_peeking_is_wrong_and_surefoot_is_not():
    runs = 200
    found = {(row.arms, row.way): row.wrong for row in peeking.measure(runs, seed=1)}
    for arms in peeking.NULLS:
        assert too_many(found[arms, "t-test, a look after every pair"], runs, peeking.DELTA)
        assert not too_many(found[arms, "t-test, one look at the end"], runs, peeking.DELTA)
        assert not too_many(found[arms, "Surefoot, after every reward"], runs, peeking.DELTA)


def test_the_table_on_peeking_is_of_this_program():
    rows = [peeking.Row(arms, way, 0, peeking.RUNS) for arms in peeking.NULLS for way in (*peeking.WAYS, "Surefoot")]
    shown = (DOCS / "peeking_table.md").read_text()
    for line in peeking.page(rows).splitlines()[:4]:
        assert line in shown
    for way in peeking.WAYS:
        assert f"| {way} |" in shown


def test_the_tables_on_warnings_are_of_this_program():
    shown = (DOCS / "warnings_table.md").read_text()
    for name in (*warnings.WATCHES, *warnings.CLEAN, *warnings.MOVING, *warnings.COMMON_DRIFTS):
        assert f"| {name} |" in shown
    for level in (watch.LEVEL, columns.LEVEL, independence.LEVEL):
        assert f" {100 * level:g} % |" in (DOCS / "warnings.md").read_text()


MISLED = {  # what people did not understand, and what to say
    "in the air": "in flight",
    ">Go on<": ">Continue<",
    "Go on with:": "Resume with:",
    "share their luck": "arms whose results are correlated",
    "so no part of this": "excluded because …",
    "% of the evidence that": "% of the way to showing that",
    "holds all the same": "the guarantee holds",
    "o arm qualifies": "no arm keeps the limit",
    'head: () => "between"': "Interval of the mean",
    "Ville. ∎": "Ville's inequality gives the claim",
    "were set aside": "were excluded",
}


ROOT = DOCS.parent
FOLDERS = {"docs": ("md", "ipynb"), "examples": ("py", "toml", "txt"), "src": ("py", "html", "js")}
READ = [
    ROOT / "README.md",
    *(
        path
        for folder, endings in FOLDERS.items()
        for ending in endings
        for path in (ROOT / folder).rglob(f"*.{ending}")
        if "decisions" not in path.parts
    ),
]


@cache
def read_through(path):
    """A text as people read it: sentences that go on in the next line, or in the next string of a program, in one piece."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    if path.suffix == ".py":
        text = re.sub(r'"\s*\n\s*f?"', "", text)
    return " ".join(text.split())


def test_a_sentence_is_found_where_it_goes_on_in_the_next_line(tmp_path):
    page, program = tmp_path / "page.md", tmp_path / "program.py"
    page.write_text("Two pulls are in\nthe air.")
    program.write_text('print(\n    "Two pulls are in "\n    f"the air."\n)\n')
    assert all("pulls are in the air." in read_through(path) for path in (page, program))


@pytest.mark.parametrize("words", MISLED)
def test_sentences_that_misled_are_gone(words):
    """From the README, the documentation but for the record of decisions, the examples, the messages and the page."""
    assert len(READ) > 250
    found = [path.name for path in READ if words in read_through(path)]
    assert not found, f"say {MISLED[words]!r} in {found}"


def test_the_glossary_has_each_word_once():
    words = re.findall(r"^\| ([^|]+) \|", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    terms = [term for word in words for term in word.split(", ") if word != "word"]
    assert len(terms) >= 40
    assert [term for term in terms if terms.count(term) > 1] == []


def test_the_page_on_the_interface_has_all_that_is_public():
    page = (DOCS / "api.md").read_text()
    assert [name for name in surefoot.__all__ if f"surefoot.{name}" not in page] == []
    block = re.search(r"autoclass:: surefoot\.Study\n   :members: (.*?)\n   :", page, re.DOTALL)
    members = re.split(r",\s*", block[1])
    assert [name for name in dir(surefoot.Study) if not name.startswith("_") and name not in members] == []
