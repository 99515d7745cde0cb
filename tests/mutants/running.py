"""The interpreted tests, on a copy of the sources: which kernels each of them calls, and whether one fails on a mutant."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import pytest

from tests.mutants.sample import CORE, Mutant

FOLDERS = ("tests/unit", "tests/contract", "tests/study", str(CORE))
LONGEST = 2.0  # seconds that a test may take to be of use here
PATIENCE = 10.0  # times what a test usually takes, and as many seconds, before it is said to hang
NO_TESTS, HANGS = 5, 99  # exit codes: of pytest if it finds none of the tests asked for, and our own
OPTIONS = ("-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis")


class Test(NamedTuple):
    seconds: float
    called: frozenset[str]  # functions of the kernels, as "path:name", in the call of the test


def in_a_process(tree: Path, work: Callable[[], None]) -> int | None:
    """Run in a fork, where `tree` is what gets imported; nothing of it is imported in here. Its exit code."""

    def run() -> None:
        os.chdir(tree)
        sys.path[:0] = [str(tree / "src"), str(tree)]
        sys.dont_write_bytecode = True
        for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
            del sys.modules[name]
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        work()

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join()
    return process.exitcode


def without_compiler() -> None:
    """A test that wants anything compiled is skipped."""
    stub: Any = ModuleType("surefoot.compiled")
    for name in ("compile_program", "cache_file", "forget", "reason"):
        setattr(stub, name, lambda *_: pytest.skip("interpreted tests only"))
    sys.modules["surefoot.compiled"] = stub


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """An alarm, unless it is done by then."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


class Watch:
    """Notes of each test that passes how long it takes and what it calls."""

    def __init__(self, tree: Path) -> None:
        self.core = str(tree / CORE)
        self.tree = str(tree) + os.sep
        self.seen: set[str] = set()
        self.tests: dict[str, Test] = {}
        self.ambient: frozenset[str] = frozenset()
        sys.settrace(self.trace)

    def trace(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.core):
            self.seen.add(f"{code.co_filename.removeprefix(self.tree)}:{code.co_qualname.split('.<')[0]}")

    def pytest_collection_finish(self) -> None:
        self.ambient = frozenset(self.seen)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self.seen.clear()
        sys.settrace(self.trace)
        begun = time.perf_counter()
        with at_most(LONGEST):
            yield
        seconds = time.perf_counter() - begun
        if self.seen:
            self.tests[item.nodeid] = Test(seconds, frozenset(self.seen))


def watched(tree: Path) -> tuple[dict[str, Test], frozenset[str]]:
    """The tests of use, and what is called outside of any."""
    notes = tree / "watched.pickle"

    def work() -> None:
        without_compiler()
        signal.signal(signal.SIGALRM, lambda *_: pytest.skip("too long"))
        watch = Watch(tree)
        pytest.main([option for option in OPTIONS if option != "-x"] + list(FOLDERS), plugins=[watch])
        sys.settrace(None)
        notes.write_bytes(pickle.dumps(({name: tuple(test) for name, test in watch.tests.items()}, watch.ambient)))

    in_a_process(tree, work)
    tests, ambient = pickle.loads(notes.read_bytes())
    return {name: Test(*test) for name, test in tests.items()}, ambient


class Chosen:
    """Only these tests, in this order, each for so long at most."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self.seconds if name in found]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        with at_most(PATIENCE * (1.0 + self.seconds[item.nodeid])):
            yield


def order(mutant: Mutant, tests: dict[str, Test], ambient: frozenset[str]) -> dict[str, float]:
    """The tests that can tell, with their seconds: those that call the function, quick ones first; of what is outside of all
    functions, or called outside of all tests, any test may tell.
    """
    place = f"{mutant.path}:{mutant.function}"
    anywhere = not mutant.function or place in ambient

    def calls(test: Test) -> bool:
        if mutant.function:
            return place in test.called
        return any(name.startswith(f"{mutant.path}:") for name in test.called)

    able = [(not calls(test), test.seconds, name) for name, test in tests.items() if anywhere or calls(test)]
    return {name: seconds for _, seconds, name in sorted(able)}


def killed(tree: Path, mutant: Mutant, seconds: dict[str, float]) -> str:
    """How the tests tell the mutant from the program; nothing if they do not."""
    if not seconds:
        return ""

    def work() -> None:
        without_compiler()
        signal.signal(signal.SIGALRM, lambda *_: os._exit(HANGS))
        files = list(dict.fromkeys(name.split("::")[0] for name in seconds))
        os._exit(pytest.main([*OPTIONS, *files], plugins=[Chosen(seconds)]))

    with mutated(tree / mutant.path, mutant.code):
        code = in_a_process(tree, work)
    return {0: "", NO_TESTS: "", 1: "a test fails", HANGS: "a test hangs"}.get(code or 0, "the tests cannot be run")


@contextlib.contextmanager
def mutated(path: Path, code: str) -> Iterator[None]:
    original = path.read_text()
    path.write_text(code)
    try:
        yield
    finally:
        path.write_text(original)
