"""`python -m verification.gates OUT.md [--quick]`: how often gates are wrong, and how many pulls they take.

First the whole command on commands of ours, while other processes come and go; then simulated rounds, beside a test with a
fixed number of rounds that has the same power; then a machine that warms up, beside what people do.
"""

import contextlib
import io
import json
import math
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from surefoot.cli import main as surefoot
from surefoot.problem.metrics import metric
from surefoot.work.gate import Gate
from surefoot.work.gate.gate import FAIL, PASS, Question
from surefoot.work.gate.margin import Margin
from surefoot.work.gate.rounds import Outcome, Round

LOOPS = 10_000  # of a shell, about 10 ms
BURN = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
DELTA, MARGIN, MAX_ROUNDS = 0.05, 0.1, 1_000
REAL = {"none": 1.0, "10 % more work": 1.1, "50 % more work": 1.5, "twice the work": 2.0, "fails in 1 of 3 pulls": 1.0}
SLOWER = (0.0, 0.05, 0.1, 0.15, 0.2, 0.5)  # than the baseline
NOISE = 0.1  # of the logarithm of each pull
SECONDS = (metric("seconds", "any"),)


class Row(NamedTuple):
    """Of some gates, what they came to and how many pulls they took."""

    name: str
    gates: int
    passes: int
    fails: int
    pulls: float  # on average

    @classmethod
    def of(cls, name: str, found: list[tuple[str, int]]) -> "Row":
        verdicts = Counter(verdict for verdict, _ in found)
        return cls(name, len(found), verdicts[PASS], verdicts[FAIL], float(np.mean([pulls for _, pulls in found])))

    @property
    def undecided(self) -> int:
        return self.gates - self.passes - self.fails


# --- the whole command


@contextlib.contextmanager
def load() -> Iterator[None]:
    """Other work on the machine, that comes and goes: up to two processes, each for a part of a second."""
    over = threading.Event()

    def burden(seed: int) -> None:
        generator = np.random.default_rng(seed)
        while not over.wait(float(generator.random())):
            subprocess.run(["sh", "-c", BURN.format(int(1_000_000 * generator.random()))], check=True)

    threads = [threading.Thread(target=burden, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def on_commands(name: str, work: float, gates: int) -> Row:
    """Gates of `surefoot gate` at a margin of 20 %, each with a random order of its own."""
    found = []
    script = BURN.format(round(work * LOOPS))
    if name.startswith("fails"):
        script = f"{script}; [ $((SUREFOOT_PULL % 3)) -ne 0 ]"
    for seed in range(gates):
        printed = io.StringIO()
        commands = ["--baseline", f"sh -c '{BURN.format(LOOPS)}'", "--candidate", f"sh -c '{script}'"]
        with contextlib.redirect_stdout(printed):
            surefoot(["gate", *commands, "--margin", "20%", "--seed", str(seed), "--max-pulls", "300", "--json"])
        report = json.loads(printed.getvalue())
        found.append((report["verdict"], report["pulls"]))
    return Row.of(name, found)


# --- simulated rounds


def simulated(slower: float, gates: int, drift: Callable[[int], float] = lambda step: 1.0) -> Row:
    """Gates on pulls whose logarithms are normal, on a machine whose speed drifts."""
    found = []
    for path in range(gates):
        generator = np.random.default_rng([29, round(1000 * slower), path])
        gate = Gate(Question(SECONDS, "seconds", Margin(MARGIN), delta=DELTA))
        while gate.verdict not in (PASS, FAIL) and gate.rounds < MAX_ROUNDS:
            baseline, candidate = np.exp(NOISE * generator.standard_normal(2)) * drift(gate.rounds)
            gate.add(Round(Outcome({"seconds": baseline}), Outcome({"seconds": candidate * (1.0 + slower)}), False))
        found.append((gate.verdict, 2 * gate.rounds))
    return Row.of(f"{100 * slower:g} %", found)


def within(slower: float) -> float:
    """The probability that the candidate is within the margin in a round."""
    return float(stats.norm.cdf(math.log((1.0 + MARGIN) / (1.0 + slower)) / (NOISE * math.sqrt(2.0))))


def fixed_pulls(slower: float) -> float:
    """Pulls of a sign test whose number of rounds is fixed beforehand, that errs on either side with probability delta."""
    share, normal = within(slower), float(stats.norm.ppf(1.0 - DELTA))
    if abs(share - 0.5) < 1e-9:
        return math.inf
    rounds = normal**2 * ((0.5 + math.sqrt(share * (1.0 - share))) / (share - 0.5)) ** 2
    return 2.0 * max(math.ceil(rounds), math.ceil(math.log(DELTA) / math.log(0.5)))


# --- a machine that warms up


def warming(step: float) -> float:
    return 1.0 + 0.5 * math.exp(-step / 15.0)


def blocks(paths: int) -> int:
    """First all pulls of the baseline, then all of the candidate, 30 each, and Welch's t-test: how often equals differ."""
    wrong = 0
    for path in range(paths):
        generator = np.random.default_rng([31, path])
        speed = np.array([warming(step) for step in range(60)])
        logs = np.log(speed) + NOISE * generator.standard_normal(60)
        wrong += stats.ttest_ind(logs[:30], logs[30:], equal_var=False).pvalue < DELTA
    return wrong


def peeked(paths: int) -> int:
    """Pairs in rounds, and a paired t-test after every round from the fifth to the hundredth: how often equals differ."""
    wrong = 0
    for path in range(paths):
        generator = np.random.default_rng([37, path])
        differences = NOISE * math.sqrt(2.0) * generator.standard_normal(100)
        counts = np.arange(5, 101)
        means = np.cumsum(differences)[4:] / counts
        variances = (np.cumsum(differences**2)[4:] - counts * means**2) / (counts - 1)
        wrong += bool(np.any(np.abs(means) / np.sqrt(variances / counts) > stats.t.ppf(1 - DELTA / 2, counts - 1)))
    return wrong


def equal_gates(paths: int) -> int:
    """Gates at a margin of 0 on the same machine: equals are exactly at the margin, so that both verdicts are wrong."""
    wrong = 0
    for path in range(paths):
        generator = np.random.default_rng([41, path])
        gate = Gate(Question(SECONDS, "seconds", Margin(0.0), delta=DELTA / 2))
        while gate.verdict not in (PASS, FAIL) and gate.rounds < 100:
            pair = np.exp(NOISE * generator.standard_normal(2)) * warming(gate.rounds)
            gate.add(Round(Outcome({"seconds": pair[0]}), Outcome({"seconds": pair[1]}), False))
        wrong += gate.verdict in (PASS, FAIL)
    return wrong


# --- the page

HEAD = "| gates | pass | fail | undecided | pulls on average |"


def page(real: list[Row], drawn: list[tuple[float, Row]], wrong: dict[str, int], paths: int) -> str:
    lines = [
        "**The whole command**, on two commands of about 10 ms beside other processes that come and go, at a margin "
        "of 20 %, delta 0.05 and at most 300 pulls:",
        "",
        "| regression " + HEAD,
        "|---" * 6 + "|",
    ]
    lines += [
        f"| {row.name} | {row.gates} | {row.passes} | {row.fails} | {row.undecided} | {row.pulls:,.0f} |"
        for row in real
    ]
    lines += [
        "",
        "**Simulated rounds**: each pull varies by about 10 %, the margin is 10 %, delta 0.05, at most 2,000 pulls. "
        "Beside it the pulls of a sign test whose number is fixed beforehand and that errs on either side with "
        "probability 0.05, made for exactly this regression, which nobody knows beforehand:",
        "",
        "| slower by " + HEAD + " fixed test |",
        "|---" * 7 + "|",
    ]
    for slower, row in drawn:
        fixed = fixed_pulls(slower)
        beside = f"{fixed:,.0f}" if math.isfinite(fixed) else "never"
        lines.append(
            f"| {row.name} | {row.gates} | {row.passes} | {row.fails} | {row.undecided} | {row.pulls:,.0f} | {beside} |"
        )
    lines += [
        "",
        "**Two equal arms** on a machine that warms up by a third, wrong verdicts where 5 % are allowed:",
        "",
        "| way | wrong |",
        "|---|---|",
    ]
    lines += [f"| {way} | {100 * count / paths:.1f} % |" for way, count in wrong.items()]
    return "\n".join(lines) + "\n"


def measure(quick: bool) -> str:
    gates, paths = (2, 20) if quick else (60, 400)
    with load():
        real = [on_commands(name, work, gates) for name, work in REAL.items()]
    drawn = [(slower, simulated(slower, paths)) for slower in SLOWER]
    wrong = {
        "all pulls of one, then all of the other, t-test at the end": blocks(paths),
        "rounds, paired t-test after every round": peeked(paths),
        "rounds, gate after every round": equal_gates(paths),
    }
    return page(real, drawn, wrong, paths)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(measure("--quick" in sys.argv))
