"""Shared by the tests of studies."""

import numpy as np

from surefoot import Study

MEANS = {"A": 0.3, "B": 0.6, "C": 0.5}


def fresh(**fields):
    return Study(list(MEANS), **{"risk": "variance <= 0.04", "delta": 0.1} | fields)


def measure(arm, generator):
    return float(np.clip(MEANS[arm] + generator.normal(0.0, 0.15 if arm != "B" else 0.05), 0.0, 1.0))


def drive(study, seed=0, workers=1, lose=0.0):
    """Tell in random order with so many pulls in flight; lose some."""
    generator = np.random.default_rng(seed)
    air = []
    while not study.decided:
        air += study.ask() if workers == 1 else study.ask(workers - len(air))
        pull = air.pop(int(generator.integers(len(air))))
        if generator.random() < lose:
            study.abandon(pull)
        else:
            study.tell(pull, measure(pull.arm, generator))
        if workers == 1:
            for pull in air:
                study.tell(pull, measure(pull.arm, generator))
            air = []
    return study
