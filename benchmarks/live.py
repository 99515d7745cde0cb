"""What a live study costs: one ask and tell in memory, importing the package, starting the command line."""

import subprocess
import sys
import time
from typing import Any

import numpy as np

from surefoot import Study

PULLS = 4_000
STARTS = 5


def ask_and_tell(arms: int) -> float:
    """Microseconds per pull asked for and told, once each arm has had its first pull."""
    generator = np.random.default_rng(arms)
    means = generator.uniform(0.3, 0.6, arms)
    study = Study([str(index) for index in range(arms)], risk="variance <= 0.04")
    while study.pulls < arms:
        study.tell_all([(pull, float(means[int(pull.arm)])) for pull in study.ask(1_000)])
    spent, told = 0.0, 0
    while told < PULLS and not study.decided:
        started = time.perf_counter()
        pulls = study.ask()
        spent += time.perf_counter() - started
        for pull in pulls:
            reward = float(np.clip(means[int(pull.arm)] + generator.normal(0.0, 0.19), 0.0, 1.0))
            started = time.perf_counter()
            study.tell(pull, reward)
            spent += time.perf_counter() - started
            told += 1
    return 1e6 * spent / told


def seconds(*command: str) -> float:
    """The shortest of several runs of a command."""
    best = float("inf")
    for _ in range(STARTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        best = min(best, time.perf_counter() - started)
    return best


def measure() -> list[dict[str, Any]]:
    nothing = seconds("-c", "pass")
    imported = seconds("-c", "import surefoot; surefoot.Study")
    started = seconds("-m", "surefoot", "--help")
    return [
        {"what": "microseconds per live ask and tell in memory, 20 arms", "value": ask_and_tell(20), "aim": "<= 60"},
        {
            "what": "microseconds per live ask and tell in memory, 100,000 arms",
            "value": ask_and_tell(100_000),
            "aim": "<= 150",
        },
        {"what": "seconds to start Python", "value": nothing},
        {"what": "seconds to import surefoot and its Study", "value": imported, "aim": "<= 0.35"},
        {"what": "seconds of surefoot --help", "value": started, "aim": "<= 0.35"},
    ]
