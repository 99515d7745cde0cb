"""The walks name the functions that are called, in the order in which they are called."""

import re
import sys
import threading
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import httpx

from surefoot import Study
from surefoot.cli.main import main
from surefoot.storage import connect
from tests.service.serving import served

PAGE = Path(__file__).parents[2] / "docs" / "walk.md"
STEP = re.compile(r"^\| \d+ \| `([\w.]+):([\w.]+)` \|", re.MULTILINE)
TELL, HTTP, RUN = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)


def steps(part):
    """The code of each function in a table."""
    found = []
    for module, name in STEP.findall(part):
        function = import_module(f"surefoot.{module}")
        for piece in name.split("."):
            function = getattr(function, piece)
        found.append(getattr(function, "__wrapped__", function).__code__)
    return found


@contextmanager
def watched():
    """Of each function that is called meanwhile, in whichever thread: the first call of each thread, in order."""
    calls = {}

    def note(frame, event, _):
        if event == "call":
            # Kernels are copies, one for each program: their place in the sources names them.
            code = frame.f_code
            key = code.co_filename, code.co_firstlineno
            calls.setdefault(key, {}).setdefault(threading.get_ident(), len(calls))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def check(part, calls):
    """Is every step of a walk called, and within each thread after those before it?"""
    walk = [calls.get((code.co_filename, code.co_firstlineno)) for code in steps(part)]
    assert len(walk) >= 5
    assert None not in walk
    for thread in {thread for places in walk for thread in places}:
        order = [places[thread] for places in walk if thread in places]
        assert order == sorted(order)


def test_a_tell_walks_as_the_page_says(tmp_path):
    study = Study.open(tmp_path / "x.db", "study", ["A", "B"], risk="variance <= 0.2")
    study.tell_all([(pull, 0.5) for pull in study.ask(6)])
    (pull,) = study.ask(1)
    with watched() as calls:
        study.tell_all([(pull, 0.5)])
    check(TELL, calls)


def test_a_tell_over_http_walks_as_the_page_says(tmp_path):
    storage = connect(tmp_path / "x.db")
    (pull,) = Study.open(storage, "study", ["A", "B"], risk="variance <= 0.2").ask(1)
    with watched() as calls, served(storage) as url:
        result = {"results": [{"pull": pull.id, "reward": 0.5}]}
        assert httpx.post(f"{url}/api/studies/study/tell", json=result).status_code == 200
    check(HTTP, calls)


def test_a_run_walks_as_the_page_says(tmp_path, capsys):
    file = tmp_path / "problem.toml"
    arms = "".join(f'[[arms]]\nname = "{name}"\ncommand = ["echo", "0.{name}"]\n' for name in "27")
    file.write_text(f"rewards = [0, 1]\n{arms}")
    with watched() as calls:
        assert main(["run", str(file), "--json"]) == 0
    check(RUN, calls)
