"""A pytest plugin: tests that must pass in at least so many of their runs, and gates on two functions (docs/pytest.md).

pytest loads it by its entry point. It imports the rest of Surefoot when a test needs it.
"""

import inspect
from collections.abc import Callable
from typing import Any, Protocol

import pytest

from surefoot.errors import SurefootError, number, whole

MARK = "surefoot"
ARM = "test"


class GateFixture(Protocol):
    """`gate(old, new, margin=0.05)`: the test fails unless `new` passes. It returns what the gate came to."""

    def __call__(
        self,
        baseline: Callable[[], Any],
        candidate: Callable[[], Any],
        *,
        margin: float | str = 0.0,
        slack: float | str = 0.0,
        rewards: tuple[float, float] | None = None,
        goal: str | None = None,
        delta: float = 0.05,
        max_rounds: int | None = 1_000,
        max_seconds: float | None = None,
        seed: int | None = None,
        undecided_passes: bool = False,
    ) -> Any: ...


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARK}(passes, delta=0.05, slack=0, max_runs=10_000): run the test until it is known whether it passes in at "
        "least this part of its runs",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a mark that makes no sense before the first test runs."""
    for item in items:
        if mark := item.get_closest_marker(MARK):
            try:
                Rate(*mark.args, **mark.kwargs)
            except (TypeError, SurefootError) as error:
                raise pytest.UsageError(
                    f"{item.nodeid}: @pytest.mark.{MARK}: {str(error).removeprefix('Rate.')}"
                ) from error
            if type(item) is not pytest.Function or inspect.iscoroutinefunction(item.function):
                raise pytest.UsageError(
                    f"{item.nodeid}: @pytest.mark.{MARK} works for test functions and methods of plain classes; "
                    "it does not work for async functions and unittest.TestCase"
                )


class Rate:
    """The part of its runs in which a test must pass, and how surely that is to be known."""

    def __init__(self, passes: float, delta: float = 0.05, slack: float = 0.0, max_runs: int = 10_000) -> None:
        self.passes = number("passes", passes, above=0, below=1)
        self.delta = number("delta", delta, above=0, below=1)
        self.slack = number("slack", slack, at_least=0, below=self.passes)
        self.max_runs = whole("max_runs", max_runs, at_least=1)

    def study(self) -> Any:
        from surefoot.study import Study

        return Study(
            [ARM],
            rewards="binary",
            risk=f"probability(reward < 0.5) <= {1.0 - self.passes!r}",
            risk_slack=self.slack,
            delta=self.delta,
        )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test again and again; its fixtures are set up once."""
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None:
        return None
    rate = Rate(*mark.args, **mark.kwargs)
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    study, passed, last = rate.study(), 0, None
    while not study.decided and study.pulls < rate.max_runs:
        error = failure(lambda: pyfuncitem.obj(**arguments))
        passed, last = passed + (error is None), error or last
        study.record(ARM, float(error is None))
    runs, status = study.pulls, study.decision.status
    found = f"It passed in {passed:,} of {runs:,} runs"
    least = f"{100.0 * (rate.passes - rate.slack):g} % of its runs"
    said = {
        "best": f"{found}: it passes in at least {least} (confidence {100.0 * (1.0 - rate.delta):g} %).",
        "infeasible": f"{found}: it passes in less than {100.0 * rate.passes:g} % of its runs "
        f"(confidence {100.0 * (1.0 - rate.delta):g} %).",
    }.get(
        status,
        f"{found}, after which it is not known whether it passes in at least {least}. "
        "Give a larger max_runs, or a slack if it may be exactly at that part.",
    )
    pyfuncitem.user_properties.append((MARK, {"passed": passed, "runs": runs, "status": status}))
    pyfuncitem.add_report_section("call", MARK, said)
    if status == "best":
        return True
    if last is None:
        pytest.fail(said, pytrace=False)
    last.add_note(said)
    raise last


def failure(call: Callable[[], Any]) -> BaseException | None:
    """What a run of a test failed with; a test that is skipped, or an interruption, ends all runs."""
    try:
        call()
    except (Exception, pytest.fail.Exception) as error:
        if isinstance(error, pytest.skip.Exception | pytest.xfail.Exception):
            raise
        return error
    return None


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> GateFixture:
    """Compare two functions in rounds; the test fails unless the second one passes."""

    def judge(
        baseline: Callable[[], Any],
        candidate: Callable[[], Any],
        *,
        margin: float | str = 0.0,
        slack: float | str = 0.0,
        rewards: tuple[float, float] | None = None,
        goal: str | None = None,
        delta: float = 0.05,
        max_rounds: int | None = 1_000,
        max_seconds: float | None = None,
        seed: int | None = None,
        undecided_passes: bool = False,
    ) -> Any:
        from surefoot.work.gate import words
        from surefoot.work.gate.functions import compare

        report = compare(
            baseline,
            candidate,
            margin=margin,
            slack=slack,
            rewards=rewards,
            goal=goal,
            delta=delta,
            max_rounds=max_rounds,
            max_seconds=max_seconds,
            seed=seed,
        )
        said = words.sentence(report)
        request.node.user_properties.append((MARK, words.as_object(report)))
        request.node.add_report_section("call", MARK, said)
        if report.verdict == "fail" or (report.verdict == "undecided" and not undecided_passes):
            pytest.fail("\n".join([said, *words.reasons(report)]), pytrace=False)
        return report

    return judge
