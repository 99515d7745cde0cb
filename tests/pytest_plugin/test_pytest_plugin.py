"""The pytest plugin, in tests that pytest runs in a folder of their own."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

INSTALLED = any(entry.value == "surefoot.pytest_plugin" for entry in entry_points(group="pytest11"))


@pytest.fixture
def ran(pytester):
    """What came of the tests in a file."""

    def run(code, *options):
        pytester.makepyfile("import itertools, pytest\ncount = itertools.count(1)\n" + code)
        plugin = [] if INSTALLED else ["-p", "surefoot.pytest_plugin"]
        return pytester.runpytest_inprocess(*plugin, "--strict-markers", "-p", "no:cacheprovider", *options)

    return run


def test_a_test_that_always_passes_is_run_until_that_is_known(ran, pytester):
    found = ran(
        """
@pytest.mark.surefoot(passes=0.95)
def test_it():
    print("run", next(count))
""",
        "-rP",
    )
    found.assert_outcomes(passed=1)
    assert "It passed in 81 of 81 runs: it passes in at least 95 % of its runs (confidence 95 %)." in found.stdout.str()
    assert "run 81" in found.stdout.str()
    assert "run 82" not in found.stdout.str()


def test_a_test_that_passes_often_enough_passes_although_some_runs_fail(ran):
    found = ran(
        """
@pytest.mark.surefoot(passes=0.5, delta=0.1)
def test_it():
    assert next(count) % 5
"""
    )
    found.assert_outcomes(passed=1)


def test_a_test_that_fails_too_often_fails_with_its_last_error(ran):
    found = ran(
        """
@pytest.mark.surefoot(passes=0.9)
def test_it():
    number = next(count)
    assert number % 2, f"run {number} was even"
"""
    )
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["*AssertionError: run * was even*", "*it passes in less than 90 % of its runs (confidence 95 %)*"]
    )


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("pass", "*after which it is not known whether it passes in at least 99 %*"),
        ("pytest.fail('no')", "*less than 99 %*"),
    ],
)
def test_what_is_not_known_within_the_runs_allowed_is_a_failure(ran, body, line):
    found = ran(f"@pytest.mark.surefoot(passes=0.99, max_runs=5)\ndef test_it():\n    {body}\n")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([line])


def test_skipped_tests_and_others_are_as_ever(ran):
    found = ran(
        """
@pytest.mark.surefoot(passes=0.9)
def test_skipped():
    pytest.skip("not here")

@pytest.fixture
def number():
    return next(count)

class TestClass:
    @pytest.mark.surefoot(0.9)
    @pytest.mark.parametrize("other", [1, 2])
    def test_method(self, number, other):
        assert number in (1, 2)  # a fixture is set up once for all runs of a test

def test_plain():
    pass
"""
    )
    found.assert_outcomes(passed=3, skipped=1)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("surefoot(passes=1.5)", "test_it: @pytest.mark.surefoot: passes must be in (0, 1), got 1.5"),
        ("surefoot()", "missing 1 required positional argument: 'passes'"),
        ("surefoot(0.9, runs=5)", "got an unexpected keyword argument 'runs'"),
        ("surefoot(0.9, max_runs=0)", "max_runs must be a whole number of at least 1, got 0"),
    ],
)
def test_a_mark_that_makes_no_sense_is_refused_before_any_test_runs(ran, mark, said):
    found = ran(f"@pytest.mark.{mark}\ndef test_it():\n    pass\n")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert said in found.stderr.str()


@pytest.mark.parametrize(
    "code",
    [
        "@pytest.mark.surefoot(0.9)\nasync def test_it():\n    pass\n",
        "import unittest\nclass Test(unittest.TestCase):\n    @pytest.mark.surefoot(0.9)\n    def test_it(self): pass\n",
    ],
)
def test_what_the_mark_cannot_run_is_refused(ran, code):
    found = ran(code)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert "does not work for async functions and unittest.TestCase" in found.stderr.str()


GATES = """
def test_returned(gate):
    report = gate(lambda: {old}, lambda: {new}, rewards=(0, 1), margin={margin}, max_rounds=200)
    print(report.verdict)
"""


def test_a_gate_on_what_functions_return(ran):
    found = ran(GATES.format(old=0.2, new=0.8, margin=0.1), "-rP")
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["Pass: the mean of reward of the candidate is at most 0.1 below that of the baseline*"])
    found = ran(GATES.format(old=0.8, new=0.2, margin=0.1))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["Fail: the mean of reward of the candidate is more than 0.1 below that of the baseline*"]
    )


def test_an_undecided_gate_fails_unless_it_may_pass(ran):
    found = ran(GATES.format(old=0.5, new=0.5, margin=0.0).replace("200", "5"))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["Undecided after 5 rounds, 10 pulls*"])
    found = ran(GATES.format(old=0.5, new=0.5, margin=0.0).replace("200", "5, undecided_passes=True"))
    found.assert_outcomes(passed=1)


def test_a_gate_on_seconds(ran):
    found = ran(
        """
import time

def test_faster(gate):
    assert gate(lambda: time.sleep(0.02), lambda: None, margin="2%").verdict == "pass"

def test_slower(gate):
    gate(lambda: None, lambda: time.sleep(0.001), margin=0.02, seed=1)

def test_broken(gate):
    gate(lambda: None, lambda: 1 / 0)
"""
    )
    found.assert_outcomes(passed=1, failed=2)
    found.stdout.fnmatch_lines(["*takes more than 2 % longer than the baseline*", "*ZeroDivisionError*"])


def test_the_examples_of_the_page_pass(ran):
    page = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text()
    found = ran("\n\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))
    found.assert_outcomes(passed=3)
