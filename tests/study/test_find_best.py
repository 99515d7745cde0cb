"""find_best: callables driven to a decision."""

import random
import threading

import pytest

from surefoot import find_best
from surefoot.errors import Interrupted, InvalidValue, SurefootError


def measures(seed=0):
    generator, lock = random.Random(seed), threading.Lock()

    def around(mean):
        def measure():
            with lock:
                return min(max(generator.gauss(mean, 0.1), 0.0), 1.0)

        return measure

    return {"A": around(0.3), "B": around(0.7), "C": around(0.4)}


@pytest.mark.parametrize("workers", [1, 4])
def test_finds_the_best(workers, capsys):
    seen = []
    study = find_best(
        measures(), workers=workers, risk="variance <= 0.04", watch=lambda study: seen.append(study.pulls)
    )
    assert study.decision.arm == "B"
    assert not study.pending
    assert seen[-1] == study.pulls
    assert capsys.readouterr().err == ""


def test_progress_on_standard_error(capsys):
    find_best(measures(), risk="variance <= 0.04", progress=True)
    captured = capsys.readouterr()
    assert "pulls" in captured.err
    assert captured.out == ""


def test_a_budget(capsys):
    study = find_best(measures(), risk="variance <= 0.04", max_pulls=9, workers=2)
    assert study.decision.status == "undecided"
    assert study.pulls == 9


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_are_reported_against_their_arm(workers):
    def broken():
        raise OSError("no such device")

    with pytest.raises(SurefootError, match="measuring arm 'B' failed: OSError: no such device") as failure:
        find_best(measures() | {"B": broken}, risk="variance <= 0.04", workers=workers)
    assert failure.value.study.pulls >= (workers == 1)  # of several workers, B's may be the first to be done
    assert not failure.value.study.pending
    with pytest.raises(SurefootError, match=r"measuring arm 'B' returned no reward: .* must be in \[0, 1\], got 7"):
        find_best(measures() | {"B": lambda: 7}, risk="variance <= 0.04", workers=workers)


def test_interruption_hands_the_study_over():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="interrupted after 1 pulls") as stopped:
        find_best(measures() | {"B": interrupted}, risk="variance <= 0.04")
    assert not stopped.value.finished.decided
    assert not stopped.value.finished.pending


def test_wants_a_mapping_of_callables():
    with pytest.raises(InvalidValue, match="takes a mapping of names to callables"):
        find_best({"A": 3})
    with pytest.raises(InvalidValue, match="workers must be a whole number"):
        find_best(measures(), workers=0)
