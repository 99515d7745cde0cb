"""What is kept is kept with a digest of the sources that made it: every source that matters is in it."""

import ast
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import surefoot
import verification
from surefoot import sources

HERE = Path(surefoot.__path__[0])
FILES = sources.files() | sources.files(verification.__name__)
TYPES_ONLY = "if TYPE_CHECKING:\n    from surefoot.study import Study\n\n"


def parsed(text, package="surefoot"):
    """The modules of ours, or of its own package, that a source imports or takes names from, as the parser has it."""
    found, tree = set(), ast.parse(text)
    hidden = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    types_only = {id(node) for block in hidden for node in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) in types_only:
            continue
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "sources.py does not know relative imports"
            for name in node.names:
                inside = f"{node.module}.{name.name}"
                found.add(inside if inside in FILES else node.module)
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {module for module in found if module.split(".")[0] in ("surefoot", package)}


@pytest.mark.parametrize("module", sorted(FILES))
def test_no_import_is_missed(module):
    text, package = Path(FILES[module]).read_text(), module.split(".")[0]
    assert sources.imports(text.encode(), package) >= parsed(text, package)  # and maybe those of examples in docstrings


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import surefoot\n", {"surefoot"}),
        ("import surefoot.core.state\n", {"surefoot.core.state"}),
        ("from surefoot.core import verdicts\n", {"surefoot.core.verdicts"}),
        ("from surefoot.core import verdicts as v, warm_ups\n", {"surefoot.core.verdicts", "surefoot.core.warm_ups"}),
        ("from surefoot.core import (  # why\n    warm_ups,  # here\n)\n", {"surefoot.core.warm_ups"}),
        ("from surefoot.problem.risks import Variance\n", {"surefoot.problem.risks"}),
        ("def f():\n    from surefoot.core import warm_ups\n", {"surefoot.core.warm_ups"}),
        (TYPES_ONLY + "from surefoot.core import warm_ups\n", {"surefoot.core.warm_ups"}),
        ("import numpy\n", set()),
    ],
)
def test_imports(text, modules):
    assert sources.imports(text.encode()) == parsed(text) == modules


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, to change."""
    shutil.copytree(HERE, tmp_path / "surefoot", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "surefoot"


def change(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def run(copy, script, *arguments):
    """What a program that has the copy for its Surefoot prints, as JSON."""
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "SUREFOOT_CACHE_DIR": str(copy.parent / "cache")}
    command = [sys.executable, "-B", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=copy.parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LOADED = """
import json, sys
from surefoot import sources
ours = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "surefoot"}
loaded = [name for name, module in ours.items() if not hasattr(module, "__template__")]  # links have no source of their own
print(json.dumps([loaded, sorted(sources.reached(sys.argv[1]))]))
"""

FOLD = """
from surefoot.problem import Problem
from surefoot.storage import connect
from surefoot.study import replica, snapshot, study_state
from surefoot.study.creation import created
from surefoot.study.engine import Wanted
for number, risk in enumerate(["variance <= 0.04", "quantile(0.05) >= 0.2", "cvar(0.05) >= 0.1", "none"]):
    storage = connect("studies.db")
    storage.create(str(number), created(storage, ["A", "B"], risk=risk, lease=10, max_pulls=40))
    kept = replica.Replica(storage.journal(str(number)), snapshots=True)
    while not kept.state.engine.finished:
        with kept.transaction() as transaction:
            asked = transaction.happen("asked", pull=kept.state.asked + 1, arms=Wanted(2))
            for pull, arm in enumerate(asked["arms"], asked["pull"]):
                transaction.happen("told", pull=pull, reward=0.1 * (pull % 7))
    assert snapshot.restored(kept.state.created, snapshot.taken(kept.state, 1))
"""

SIMULATE = """
from surefoot.problem.distributions import Beta
from surefoot.simulation.instance import Instance
from surefoot.simulation.job import Job
instance = Instance({"A": Beta(mean=0.6, variance=0.01), "B": Beta(mean=0.4, variance=0.01)}, risk="variance <= 0.04")
for parts, engine in ((("top-two", "tight"), "interpreted"), (("va-uniform", "paper"), "compiled")):
    Job(instance, *parts, engine=engine).prepare()(0)(1000)
"""


@pytest.mark.parametrize(
    ("root", "script", "besides"),
    [("surefoot.study.snapshot", FOLD, {"surefoot.study.replica"}), ("surefoot.simulation.job", SIMULATE, set())],
)
def test_every_module_that_is_loaded_is_among_them(copy, root, script, besides):
    """In a copy whose packages import nothing but what is asked of them."""
    for package in ("study", "simulation"):
        (copy / package / "__init__.py").write_text("")
    loaded, found = run(copy, script + LOADED, root)
    assert len(loaded) > 50
    assert set(loaded) - besides <= set(found)


KEEP = """
from surefoot import Study
from surefoot.study import snapshot
snapshot.between = lambda state: 20
study = Study.open("studies.db", "study", ["A", "B"], risk="variance <= 0.04", max_pulls=60)
while not study.decided:
    for pull in study.ask():
        study.tell(pull, 0.5)
print("null")
"""

FORGE = """
from surefoot.study import snapshot
sound = snapshot.filled
def forged(*arguments):
    state = sound(*arguments)
    for arm in state.engine.state.arms[:2]:
        arm.metric.total = arm.metric.mean = 1.0
    return state
snapshot.filled = forged
"""

READ = """
import json
from surefoot import Study
from surefoot.storage import connect
before = [row.mean for row in Study.open("studies.db", "study").table()]
connect("studies.db").journal("study").drop_snapshot()
print(json.dumps([before, [row.mean for row in Study.open("studies.db", "study").table()]]))
"""


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "problem/reward_models.py",
            "(reward - self.origin) / self.width",
            "(reward - self.origin) / self.width / 2.0",
        ),
        ("problem/problem.py", "mover(self.scale_of(metric), self.cuts(metric))", "lambda value: value / 4.0"),
    ],
)
def test_a_snapshot_by_other_sources_is_ignored(copy, file, old, new):
    run(copy, KEEP)
    change(copy / file, old, new)
    opened, replayed = run(copy, READ)
    assert opened == replayed


def test_a_snapshot_by_the_same_sources_is_taken(copy):
    """The control: it would be noticed if it were not what the journal says."""
    run(copy, KEEP)
    change(copy / "cli/main.py", "import sys\n", "import sys  # as ever\n")
    opened, replayed = run(copy, FORGE + READ)
    assert opened != replayed


CHANGED = """
import json, os, pathlib, sys, time
from surefoot import Study, sources
from surefoot.storage import connect
from surefoot.study import snapshot
study = Study.open("studies.db", "study", ["A", "B"], risk="variance <= 0.04", max_pulls=10_000)
file = pathlib.Path(sources.__file__).parent / sys.argv[1]
file.write_text(file.read_text() + "# other words\\n")
while file.stat().st_ctime <= sources.BEGUN:  # the file system's clock may be behind
    file.touch()
snapshot.version.cache_clear()
sources.read.cache_clear()
print(json.dumps([snapshot.version() != "", snapshot.between(study._replica.state)]))
"""


@pytest.mark.parametrize(("file", "taken"), [("core/statistics.py", False), ("cli/main.py", True)])
def test_sources_that_changed_since_they_were_loaded_are_not_what_this_process_runs(copy, file, taken):
    known, between = run(copy, CHANGED, file)
    assert (known, between > 0) == (taken, taken)


CACHES = """
import json, math, pathlib, sys
from surefoot import Problem, sources
from surefoot.problem import choice
from surefoot.compiled import cache_file
from surefoot.simulation import kernel
sources.BEGUN = math.inf  # each time as in a new process
here = pathlib.Path(sources.__file__).parent
def caches():
    sources.read.cache_clear()
    programs = [choice.program(Problem(arms=["A", "B"]), *names) for names in [("va-lucb", "sharp"), ("top-two", "tight")]]
    return [str(cache_file(kernel, program.parts)) for program in programs]
found = [caches()]
for name in sys.argv[1:]:
    (here / name).write_text((here / name).read_text() + "# other words\\n")
    found.append(caches())
print(json.dumps(found))
"""


def test_compiled_programs_depend_on_the_kernels_they_are_made_of(copy):
    files = ["core/statistics.py", "core/bounds/tight.py", "core/policies/lil_ucb.py", "simulation/sweep_results.py"]
    found = run(copy, CACHES, *files)
    changed = [
        [before != after for before, after in zip(one, two, strict=True)] for one, two in itertools.pairwise(found)
    ]
    assert changed == [[True, True], [False, True], [False, False], [False, False]]


def test_where_the_sources_are_not_there_nothing_is_kept(monkeypatch):
    monkeypatch.setattr(sources, "files", lambda package: {})
    sources.read.cache_clear()
    assert sources.digest("surefoot.core") == ""


def test_what_verifies_depends_on_its_own_sources_and_on_the_package():
    found = sources.reached("verification.search.rates")
    assert {"verification", "verification.search", "verification.search.climb", "surefoot.core.answers.best"} <= set(
        found
    )
    assert "verification.peeking" not in found
    assert sources.digest("verification.search.rates") not in ("", sources.digest("verification.search.recheck"))
