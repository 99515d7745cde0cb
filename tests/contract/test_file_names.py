"""One file name, one idea: whoever searches for a name finds what it says."""

from collections import Counter
from pathlib import Path

import pytest

import surefoot

SAME_IDEA = {
    "__init__.py": "what a package is",
    "against.py": "a limit against the baseline, and the link that has its verdict",
    "cvar.py": "a risk, and the test of its limit",
    "demo.py": "a command, and its work",
    "gate.py": "a command, and its work",
    "hardness.py": "a command, and its theory",
    "import_log.py": "a command, and its work",
    "limits.py": "limits as people write them, and in the kernels' numbers",
    "mean.py": "a limit, and its test",
    "none.py": "no risk, and the test of no limit",
    "paper.py": "the paper: its bounds, and the command that reproduces it",
    "plan.py": "a command, and its work",
    "policy.py": "a policy to copy, and one around a user's function",
    "probability.py": "a risk, and the test of its limit",
    "quantile.py": "a risk, and the test of its limit",
    "run.py": "a command, and its work",
    "serve.py": "a command, and its work",
    "tournament.py": "the tree, and the ranking by it",
}


def shared(paths):
    """Names that several files have."""
    return {name for name, count in Counter(path.name for path in paths).items() if count > 1}


def test_files_of_one_name_are_of_one_idea():
    files = list(Path(surefoot.__file__).parent.rglob("*.py"))
    assert shared(files) == set(SAME_IDEA)


@pytest.mark.parametrize("name", sorted(set(SAME_IDEA) - {"__init__.py"}))
def test_an_idea_has_a_file_in_two_places_at_most(name):
    assert len(list(Path(surefoot.__file__).parent.rglob(name))) == 2
