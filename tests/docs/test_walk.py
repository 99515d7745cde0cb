"""The walk of one tell names the functions that are called, in the order in which they are called."""

import re
import sys
from importlib import import_module
from pathlib import Path

from surefoot import Study

PAGE = Path(__file__).parents[2] / "docs" / "walk.md"
STEP = re.compile(r"^\| \d+ \| `([\w.]+):([\w.]+)` \|", re.MULTILINE)


def steps():
    """The code of each function in the table."""
    found = []
    for module, name in STEP.findall(PAGE.read_text()):
        function = import_module(f"surefoot.{module}")
        for part in name.split("."):
            function = getattr(function, part)
        found.append(getattr(function, "__wrapped__", function).__code__)
    return found


def called(act):
    """The code of every function of ours that is called, the first time it is."""
    seen = {}

    def note(frame, event, _):
        if event == "call":
            seen.setdefault(frame.f_code, len(seen))

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return seen


def test_a_tell_walks_as_the_page_says(tmp_path):
    study = Study.open(tmp_path / "x.db", "study", ["A", "B"], risk="variance <= 0.2")
    study.tell_all([(pull, 0.5) for pull in study.ask(6)])
    (pull,) = study.ask(1)
    order = called(lambda: study.tell_all([(pull, 0.5)]))
    kernels = {code.co_name: place for code, place in order.items() if code.co_filename.endswith("core/folding.py")}
    places = [order.get(code, kernels.get(code.co_name)) for code in steps()]
    assert len(places) > 10
    assert None not in places
    assert places == sorted(places)
