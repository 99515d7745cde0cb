"""Kernels import numpy and math only: whatever else is imported in `core` is named here, with who needs it."""

import ast
from pathlib import Path

import pytest

from surefoot import core

HERE = Path(core.__file__).parent
FILES = {path.relative_to(HERE).as_posix(): path for path in HERE.rglob("*.py")}
KERNELS = {"__future__", "math", "numpy", "numpy.typing", "typing"}  # typing is for what they declare
BESIDES = {
    "assembly.py": {"collections.abc", "types"},  # puts kernels together
    "chains.py": {"collections.abc", "functools", "sys", "types"},  # makes one part of all limits
    "comparisons/on_items.py": {"array"},  # keeps the results of a live study, 8 bytes each
    "confidence.py": {"collections.abc"},  # looks for a level, and is never compiled
    "drift.py": {"functools"},  # computes tables once, and is never compiled
    "own/policy.py": {"surefoot.errors"},  # refuses what a user's function chose
    "own/seen.py": {"operator"},  # makes the records that users see
    "parts.py": {"collections.abc"},  # says what kernels must have
    "program.py": {"functools", "surefoot.errors", "types"},  # chooses the modules, and says whose failed
    "records.py": {"collections.abc", "ctypes", "functools"},  # makes the records
    "registry.py": {"collections.abc", "functools", "itertools"},  # names the modules
}


def imported(text):
    """The modules outside of `core` that a source imports, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    return {name for name in found if f"{name}.".partition("surefoot.core.")[0]}


@pytest.mark.parametrize("file", sorted(FILES))
def test_kernels_import_numpy_and_math_only(file):
    assert imported(FILES[file].read_text()) - KERNELS == BESIDES.get(file, set())


def test_who_is_excepted_is_there():
    assert set(BESIDES) < set(FILES)


def test_an_import_is_found_wherever_it_is():
    text = "import math\nfrom surefoot.core import state\ndef f():\n    from scipy.special import gamma\n    import os.path"
    assert imported(text) == {"math", "scipy.special", "os.path"}
