"""The Python of the pages for users runs, the commands they name exist, and the generated table is of this program."""

import re
import shlex
from pathlib import Path

import matplotlib
import pytest

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
}


@pytest.mark.parametrize("words", MISLED)
def test_sentences_that_misled_are_gone(words):
    """From what people read: the README, the documentation but for the record of decisions, the messages and the page."""
    root = Path(__file__).parents[2]
    static, docs = root / "src/surefoot/service/static", root / "docs"
    files = [
        root / "README.md",
        *docs.glob("*.md"),
        *docs.glob("guides/*.md"),
        *static.glob("*.html"),
        *static.glob("*.js"),
    ]
    assert len(files) > 30
    found = [path.name for path in files if words in path.read_text()]
    assert not found, f"say {MISLED[words]!r} in {found}"
