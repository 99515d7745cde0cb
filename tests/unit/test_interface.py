"""The public interface: what a program, an editor and a notebook see of it."""

import inspect
import os
import subprocess
import sys

import pytest

import surefoot
from surefoot import Instance, Problem, Study, connect, errors, find_best, simulate
from surefoot.errors import SurefootError

CALLS = {
    "Problem": (Problem.__init__, Problem),
    "Study": (Study.__init__, Study),
    "Study.open": (Study.open, Study.open),
    "find_best": (find_best, find_best),
    "connect": (connect, connect),
    "simulate": (simulate, simulate),
    "Instance": (Instance.__init__, Instance),
}

RAISED = [name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, SurefootError)]


def parameters(call):
    found = dict(inspect.signature(call).parameters)
    found.pop("self", None)
    return found


def documented(told):
    """What the docstring says of each parameter."""
    lines = inspect.getdoc(told).splitlines()
    found = [line.removeprefix(":param ").partition(": ") for line in lines if line.startswith(":param ")]
    return {name: sentence for name, _, sentence in found}


@pytest.mark.parametrize("name", CALLS)
def test_every_parameter_is_in_the_signature_typed_and_documented(name):
    call, told = CALLS[name]
    found = parameters(call)
    assert not [each for each in found.values() if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
    assert not [each.name for each in found.values() if each.annotation is inspect.Parameter.empty]
    assert list(documented(told)) == list(found)


def test_what_makes_a_problem_has_the_same_name_and_sentence_everywhere():
    fields = [name for name in parameters(Problem.__init__) if name != "arms"]
    of_a_study = [*fields, "policy", "bounds", "seed", "lease"]
    for name in ("Study", "Study.open", "find_best", "connect"):
        call, told = CALLS[name]
        assert [each for each in parameters(call) if each in of_a_study] == of_a_study
        sentences, same = documented(told), documented(Study) | documented(Problem)
        assert {each: sentences[each] for each in of_a_study} == {each: same[each] for each in of_a_study}
        ours = parameters(Study.__init__)
        assert [str(parameters(call)[each]) for each in of_a_study] == [str(ours[each]) for each in of_a_study]
    assert [name for name in parameters(Instance.__init__) if name != "arms"] == fields


@pytest.mark.parametrize("name", [*surefoot.__all__, *(f"errors.{name}" for name in RAISED)])
def test_every_public_name_says_in_a_sentence_what_it_is(name):
    """A dataclass without a docstring shows its signature instead."""
    public = surefoot
    for part in name.split("."):
        public = getattr(public, part)
    first = inspect.getdoc(public).partition("\n\n")[0]
    assert not first.startswith(f"{name}(")
    assert first.endswith((".", ":"))
    assert len(first.split()) > 3


def test_all_names_are_offered_before_anything_is_loaded():
    program = "import surefoot, sys; print(*dir(surefoot)); print('numpy' in sys.modules)"
    names, loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.splitlines()
    assert {*surefoot.__all__, "errors", "own"} <= set(names.split())
    assert loaded == "False"
    assert set(surefoot._HOMES) == set(surefoot.__all__)
    for name in names.split():
        assert getattr(surefoot, name) is not None
    with pytest.raises(AttributeError, match="module 'surefoot' has no attribute 'Studi'"):
        surefoot.Studi  # noqa: B018


SELDOM_NEEDED = {
    *("csv", "difflib", "hashlib", "html", "numba", "numpy.random", "numpy.typing", "pathlib", "scipy", "sqlalchemy"),
    *("statistics", "tomllib", "surefoot.core.registry", "surefoot.problem.distributions", "surefoot.study.views"),
}
OF_OTHER_PROBLEMS = {  # than one with a limit and independent arms
    *("surefoot.core.list_registry", "surefoot.core.comparisons.on_items", "surefoot.core.baselines.one_arm"),
    *("surefoot.core.links.against", "surefoot.problem.distributions", "surefoot.problem.score_table"),
}

IMPORTING = """
import sys
import surefoot
surefoot.Study
from surefoot import sources
print(*sys.modules)
print(sources.read.cache_info().currsize)
"""


def test_importing_a_study_loads_what_every_study_needs_and_reads_no_sources():
    printed = subprocess.run([sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=True).stdout
    loaded, read = printed.splitlines()
    assert "surefoot.study.engine" in loaded.split()
    assert not SELDOM_NEEDED & set(loaded.split())
    assert read == "0"


def test_a_study_loads_the_kernels_that_it_needs():
    program = "import sys, surefoot; surefoot.Study(['A', 'B'], risk='variance <= 0.04').ask(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "surefoot.core.limit_tests.tight_variance" in loaded
    assert not OF_OTHER_PROBLEMS & set(loaded)


COMPLETING = """
import sys
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell()
shell.Completer.use_jedi = False  # what is there, not what can be guessed from the source
shell.run_cell("import surefoot")
with provisionalcompleter():
    for text in sys.argv[1:]:
        print(*(found.text for found in shell.Completer.completions(text, len(text))))
"""


def test_names_and_parameters_complete_in_ipython(tmp_path):
    pytest.importorskip("IPython")
    texts = ["surefoot.", "surefoot.fi", "surefoot.Study(['A'], ri", "surefoot.find_best({}, re"]
    command = [sys.executable, "-c", COMPLETING, *texts]
    place = os.environ | {"IPYTHONDIR": str(tmp_path)}
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=place).stdout.splitlines()
    names, function, of_a_study, of_find_best = (line.split() for line in found)
    assert {f".{name}" for name in surefoot.__all__} <= set(names)
    assert function == [".find_best"]
    assert {"risk=", "risk_slack="} <= set(of_a_study)
    assert {"retries=", "rewards="} <= set(of_find_best)


USER = """
from pathlib import Path

import surefoot
from surefoot import (
    Beta, Instance, Problem, PullResult, Results, ServedStudy, Study, SubGaussian, Variance, connect, find_best, simulate,
)


def measure() -> float:
    return 0.5


problem = Problem(["A", "B"], risk="variance <= 0.04", rewards=(0, 1), goal="min", delta=0.1, max_pulls=100)
names: tuple[str, ...] = problem.names
harder: Problem = problem.but(delta=0.01)
study = Study(["A", "B", "C"], risk=Variance(at_most=0.04), rewards=(0, 1), delta=0.05)
again = Study(problem, tolerance=0.1, policy="top-two", bounds="tight")
kept = Study.open(Path("studies.db"), "colours", ["A", 2], rewards="gaussian", lease=600, seed=1)
best: Study = find_best({"A": measure, "B": lambda: 0.7}, rewards=[0, 1], workers=4, retries=0, failure=0, progress=False)
served: ServedStudy = connect("http://127.0.0.1:8000", "token", "s", ["A", "B"], rewards=SubGaussian(0.5), patience=1)
instance = Instance({"A": Beta(mean=0.5, variance=0.01)}, risk="none")
print(simulate(instance, trials=10, seed=1, delta=0.1), simulate("steady.toml"))
for one in (study, served):
    while not one.decided:
        for pull in one.ask(2, worker="laptop"):
            one.tell(pull, 0.5)
    rows: Results = one.results()
    first: PullResult = rows[0]
    result: float = first.result
    arm: str | None = one.decision.arm
    print(one.table(5), one.warnings, one.plot(), rows.to_pandas())
error: type[Exception] = surefoot.errors.Conflict
"""

WRONG = """
from surefoot import Study, find_best

Study(["A"], dleta=0.1)
Study(["A"], delta="0.1")
Study(["A"], rewards="gausian")
find_best({"A": lambda: "high"})
"""


def checked(folder, text):
    file = folder / "program.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", str(file)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder).stdout


def test_a_users_program_passes_a_strict_type_checker_and_slips_do_not(tmp_path):
    pytest.importorskip("mypy")
    assert checked(tmp_path, USER) == ""
    wrong = checked(tmp_path, WRONG).splitlines()
    assert {int(line.split(":")[1]) for line in wrong if ": error:" in line} == {4, 5, 6, 7}
