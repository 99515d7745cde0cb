"""What a pull of an arm does: run a command, call a function, draw a row of data or from a distribution."""

import functools
import importlib
import io
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from surefoot.errors import InvalidValue, no_result, parsed_number
from surefoot.problem import Arm, Problem
from surefoot.problem.metrics import Result
from surefoot.problem.reward_sources import Call, Command, Data, PerMetric
from surefoot.work.commands import KEPT, Commands, check_system

Item: TypeAlias = str | int | None  # what an arm is tried on, where all arms are tried on the same items
Draw: TypeAlias = Callable[[np.random.Generator], Result]
CUT = "…"  # stands where the kept end of an output begins


class Measure(Protocol):
    """From a pull's number, and its item if there are items, to its result."""

    def __call__(self, pull: int, item: Item = None) -> Result: ...


class PullFailed(Exception):
    """A pull that brought no reward; the message says why, on one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split())[:200])


class NotStarted(PullFailed):
    """A pull that never began, as of a program that is not there: no outcome, whatever a failure counts as."""


class Measures:
    """How each arm of a problem is measured. What can be seen to be wrong with one is said at once.

    Draws depend on the seed and the pull's number alone, so that a pull made again has the same reward.
    """

    def __init__(self, problem: Problem, folder: Path, seed: int = 0, timeout: float | None = None) -> None:
        self.problem, self.folder, self.seed, self.timeout = problem, folder, seed, timeout
        self.commands = Commands()
        self.seconds: dict[int, float] = {}  # that the command of a pull ran, until its result has them
        self.told = [metric.name for metric in problem.metrics if not metric.measure]  # by the command or the callable
        self.read = functools.cache(self.column)
        self.of = {arm.name: self.measure(arm) for arm in problem.arms}

    def measure(self, arm: Arm) -> Measure:
        try:
            match arm.source:
                case Command(arguments):
                    check_system()
                    return self.measured(functools.partial(self.run, arm.name, arguments))
                case Call(target):
                    return self.measured(functools.partial(self.call, imported(target, self.folder)))
                case Data() as data:
                    return functools.partial(self.draw, self.read(data))
                case PerMetric() as given:
                    return functools.partial(self.draw, drawn(given))
                case None:
                    raise InvalidValue("it must have a command, call, data or distribution to be run, got nothing")
                case distribution:
                    return functools.partial(self.draw, distribution.sampler())
        except InvalidValue as error:
            raise InvalidValue(f"arm {arm.name!r}: {error}") from error

    def measured(self, measure: Measure) -> Measure:
        """The same with what we measure ourselves: how long it took, and whether it failed."""
        ours = {metric.measure: metric.name for metric in self.problem.metrics if metric.measure}
        if not ours:
            return measure

        def made(pull: int, item: Item = None) -> Result:
            begun, failed = time.perf_counter(), 0.0
            try:
                result = measure(pull, item)
            except NotStarted:
                raise
            except PullFailed:
                if self.told or "failed" not in ours:  # what it would have told is missing
                    self.seconds.pop(pull, None)
                    raise
                result, failed = {}, 1.0
            seconds = self.seconds.pop(pull, time.perf_counter() - begun)
            told = result if isinstance(result, Mapping) else {self.told[0]: result} if self.told else {}
            by_us = {ours[what]: value for what, value in (("seconds", seconds), ("failed", failed)) if what in ours}
            return {**told, **by_us}

        return made

    def column(self, data: Data) -> Draw:
        source = Data(str(self.folder / data.path), data.column)
        if data.column:
            return source.read().fitted(self.problem.rewards).sampler()
        rows = [self.problem.result(values) for values in source.rows(self.problem.metrics).values]
        return lambda generator: rows[int(generator.integers(len(rows)))]

    def draw(self, draw: Draw, pull: int, item: Item = None) -> Result:
        return draw(np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(pull,))))

    def call(self, function: Callable[..., Result], pull: int, item: Item = None) -> Result:
        """Call a function; one that takes too long cannot be stopped, but is waited for no longer."""
        outcome: list[Result | Exception] = []

        def work() -> None:
            try:
                outcome.append(function(item) if self.problem.has_items else function())
            except Exception as error:
                outcome.append(error)
            except SystemExit as error:  # a function that would end the program fails as one that raises does
                outcome.append(PullFailed(f"SystemExit: {error}"))

        if self.timeout is None:
            work()
        else:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            thread.join(self.timeout)
        if not outcome:
            raise PullFailed(f"no result within {self.timeout:g} s")
        if isinstance(outcome[0], PullFailed):
            raise outcome[0]
        if isinstance(outcome[0], Exception):
            raise PullFailed(f"{type(outcome[0]).__name__}: {outcome[0]}") from outcome[0]
        if self.told and (why := no_result(outcome[0])):
            raise PullFailed(f"its result {why}")
        return outcome[0]

    def run(self, name: str, arguments: tuple[str, ...], pull: int, item: Item = None) -> Result:
        """Run a command, with all that it starts; the result is its last line of output."""
        marks = {"SUREFOOT_ARM": name, "SUREFOOT_PULL": str(pull)}
        if self.problem.has_items:
            arguments = tuple(word.replace("{item}", str(item)) for word in arguments)
            marks["SUREFOOT_ITEM"] = str(item)
        ended = self.commands.run(arguments, self.folder, os.environ | marks, self.timeout)
        if any(metric.measure == "seconds" for metric in self.problem.metrics):
            self.seconds[pull] = ended.seconds
        if ended.code is None:
            if ended.why and not self.commands.stopped:
                raise NotStarted(f"{arguments[0]}: {ended.why}")
            raise PullFailed("stopped" if self.commands.stopped else f"no result within {self.timeout:g} s")
        if ended.code:
            said = last_line(ended.err) or last_line(ended.out) or "it printed nothing"
            how = f"exit code {ended.code}" if ended.code > 0 else f"signal {-ended.code}"
            raise PullFailed(f"{how}: {said}")
        return self.printed(last_line(ended.out))

    def printed(self, line: str) -> Result:
        """The result that a command printed in its last line."""
        metrics = self.problem.metrics
        if not self.told:
            return {}
        if line.startswith("{"):
            with suppress(ValueError):
                result: Result = json.loads(line)
                if why := no_result(result):
                    raise PullFailed(f"its result {why}")
                return result
        if len(self.told) == 1:
            with suppress(ValueError):
                if not math.isnan(number := parsed_number(line)):
                    return number if len(metrics) == 1 else {self.told[0]: number}
        where = f" within its last {KEPT // 2**10} kB" if line.startswith(CUT) else ""
        wanted = "a number" if len(metrics) == 1 else f"a JSON object with a number for each of {', '.join(self.told)}"
        raise PullFailed(f"its last line of output must be {wanted}{where}, got {line!r}")

    def stop(self) -> None:
        """Stop every command that is running, and begin no other."""
        self.commands.stop()


def drawn(source: PerMetric) -> Draw:
    """What draws each metric by itself."""
    samplers = {name: distribution.sampler() for name, distribution in source.distributions}
    return lambda generator: {name: sampler(generator) for name, sampler in samplers.items()}


def last_line(output: bytes) -> str:
    """The last line that is not blank, of an output of which only the end may have been kept."""
    text = io.TextIOWrapper(io.BytesIO(output), errors="replace").read()
    lines = (CUT + text if len(output) == KEPT else text).split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def imported(target: str, folder: Path) -> Callable[..., Result]:
    """The function that `module:function` means, the module being in the folder or wherever Python looks."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module, _, name = target.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:
        raise InvalidValue(f"call must name a function that can be imported, got {target!r}: {error}") from error
    if not callable(function):
        raise InvalidValue(f"call must name a function, got {target!r}, which is {type(function).__name__}")
    return function  # type: ignore[no-any-return]
