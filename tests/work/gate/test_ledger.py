"""The ledger that all gates of a project share."""

import json
import math
import subprocess
import sys

import pytest

from surefoot.errors import InvalidValue
from surefoot.work.gate import ledger


def test_all_shares_together_are_no_more_than_delta():
    """The first ones are summed; the rest are below the integral of 1 / (x ln(x)^2), which is 1 / ln(x)."""
    last = 100_000
    first = sum(ledger.share_of(gate, 0.05) for gate in range(1, last + 1))

    rest = 0.05 / ledger.TOTAL / math.log(last + 1)
    assert 0.999 * 0.05 < first + rest <= 0.05


def test_each_gate_has_a_line_and_a_smaller_share(tmp_path):
    path = tmp_path / "gates.jsonl"
    entries = [ledger.claim(path, 0.05, "is it faster?") for _ in range(3)]
    assert [entry.gate for entry in entries] == [1, 2, 3]
    assert [entry.share for entry in entries] == [ledger.share_of(gate, 0.05) for gate in (1, 2, 3)]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["gate"], line["delta"], line["question"]) for line in lines] == [
        (gate, 0.05, "is it faster?") for gate in (1, 2, 3)
    ]


def test_a_line_that_was_cut_off_is_a_gate_too(tmp_path):
    path = tmp_path / "gates.jsonl"
    ledger.claim(path, 0.05, "?")
    with open(path, "a") as file:
        file.write('{"gate": 2, "sh')
    assert [ledger.claim(path, 0.05, "?").gate for _ in range(2)] == [3, 4]
    assert len(path.read_text().splitlines()) == 4


def test_gates_of_one_ledger_have_one_delta(tmp_path):
    path = tmp_path / "gates.jsonl"
    ledger.claim(path, 0.05, "?")
    with pytest.raises(InvalidValue, match=r"must have the same delta: .* has delta 0.05, got 0.1"):
        ledger.claim(path, 0.1, "?")
    assert len(path.read_text().splitlines()) == 1


def test_another_file_is_no_ledger(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\n")
    with pytest.raises(InvalidValue, match="is not a ledger of gates: line 1 cannot be read"):
        ledger.claim(path, 0.05, "?")
    assert path.read_text() == "buy milk\n"
    with pytest.raises(InvalidValue, match="a file in a folder that exists"):
        ledger.claim(tmp_path / "none" / "x", 0.05, "?")


def test_gates_that_begin_at_the_same_time_have_numbers_of_their_own(tmp_path):
    path, each = tmp_path / "gates.jsonl", 20
    program = (
        "import sys; from pathlib import Path; from surefoot.work.gate import ledger\n"
        f"for _ in range({each}): ledger.claim(Path(sys.argv[1]), 0.05, '?')"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert [json.loads(line)["gate"] for line in path.read_text().splitlines()] == list(range(1, 3 * each + 1))
