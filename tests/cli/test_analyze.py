"""`surefoot analyze`: the contract of the command."""

import json

import numpy as np
import pytest

from surefoot import Study
from surefoot.cli import main

RISK = ["--rewards", "0", "1", "--risk", "variance <= 0.04"]


@pytest.fixture
def log(tmp_path):
    generator = np.random.default_rng(5)
    path = tmp_path / "log.csv"
    arms = [("A", 0.6), ("B", 0.4)] * 900
    lines = [f"{arm},{generator.beta(20 * mean, 20 - 20 * mean):.4f}" for arm, mean in arms]
    path.write_text("arm,reward\n" + "\n".join(lines) + "\nA,\n")
    return str(path)


def test_json_has_the_keys_of_the_contract(log, capsys):
    assert main(["analyze", log, *RISK, "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["status"], found["arm"], found["pulls"], found["next"]) == ("best", "A", 1800, [])
    keys = {"name", "pulls", "mean", "mean_lower", "mean_upper", "risk", "risk_lower", "risk_upper", "verdict"}
    assert keys <= set(found["arms"][0])
    assert (found["skipped"], found["warnings"]) == (1, [])
    assert "rows or cells that were skipped because a value is missing: 1\n" in captured.err


def test_people_get_the_sentence_the_table_what_is_next_and_a_picture(log, tmp_path, capsys):
    picture = tmp_path / "log.png"
    assert main(["analyze", log, *RISK, "--delta", "1e-40", "--picture", str(picture)]) == 3
    out = capsys.readouterr().out
    assert out.startswith("Undecided after 1,800 pulls: A and B could each still be the best arm within the limit.")
    assert "  verdict\n" in out
    assert "Warning" not in out
    assert "% of the way: within 0.04" in out
    assert max(map(len, out.splitlines()[2:5])) <= 80
    assert "\nNext, pull A." in out
    assert f"\nThe picture is in {picture}.\n" in out
    assert picture.stat().st_size > 5000


def test_a_picture_that_cannot_be_written_leaves_the_analysis(log, tmp_path, capsys):
    folder = tmp_path / "taken.png"
    folder.mkdir()
    assert main(["analyze", log, *RISK, "--picture", str(folder)]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("A is best: its mean is")
    assert "picture" not in captured.out
    assert f"cannot write the picture {folder}" in captured.err


def test_a_log_that_drifts_is_warned_of(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text("A,B\n" + "".join(f"{row / 400},{row * 7 % 11 / 11}\n" for row in range(400)))
    main(["analyze", str(path), "--rewards", "0", "1"])
    out, err = capsys.readouterr()
    drift = (
        "The results of arm 'A' do not look like independent draws of one distribution: its mean over results 1 to 64 is "
        "0.07875, over the others of results 1 to 128 it is 0.2387. The guarantee assumes that nothing drifts."
    )
    assert f"surefoot: {drift}\n" in err
    assert f" Warning: {drift} There are " in out.splitlines()[0]
    main(["analyze", str(path), "--rewards", "0", "1", "--json"])
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert warnings[0] == {"kind": "drift", "arm": "A", "sentence": drift}
    assert [warning["arm"] for warning in warnings if warning["kind"] == "drift"] == ["A"]


def test_a_table_is_decided_by_bounds_that_allow_dependence_between_columns(tmp_path, capsys):
    """And dependence is a warning: it changes the decision only where independence was asserted."""
    path, generator = tmp_path / "table.csv", np.random.default_rng(1)
    luck = generator.random(300)
    path.write_text("A,B\n" + "".join(f"{0.5 * x:.4f},{0.5 + 0.5 * x:.4f}\n" for x in luck))
    arguments = ["analyze", str(path), "--rewards", "0", "1", "--json"]
    assert main(arguments) == 0
    table = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--bounds", "sharp"]) == 0
    assert json.loads(capsys.readouterr().out) == table
    (warning,) = table["warnings"]
    assert (warning["kind"], warning["arm"]) == ("columns", None)
    assert warning["sentence"] == (
        "The columns 'A' and 'B' depend on each other: of 150 times that both changed from one row to the next, they went "
        "the same way 150 times. The guarantee holds: the bounds 'sharp' allow it."
    )
    main([*arguments, "--bounds", "tight"])
    asserted = json.loads(capsys.readouterr().out)
    assert asserted["arms"] != table["arms"]
    assert "The bounds 'tight' may be wrong more often than delta says: choose --bounds sharp" in asserted["sentence"]


def test_a_table_that_is_imported_is_a_study_with_such_bounds(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("A,B\n" + "0.1,0.9\n0.2,0.8\n" * 20)
    main(["import", "table.csv", "--rewards", "0", "1", "--json"])
    captured = capsys.readouterr()
    assert [warning["kind"] for warning in json.loads(captured.out)["warnings"]] == ["columns"]
    assert "surefoot: The columns 'A' and 'B' depend on each other" in captured.err
    assert Study.open("table.db", "table").events[0]["bounds"] == "sharp"
    (tmp_path / "log.csv").write_text("arm,reward\nA,0.1\nB,0.9\n")
    main(["import", "log.csv", "--rewards", "0", "1", "--json"])
    assert Study.open("log.db", "log").events[0]["bounds"] == "tight"


@pytest.mark.parametrize("command", ["analyze", "import"])
def test_a_policy_that_does_not_go_with_such_bounds_is_refused_with_what_tight_would_assert(tmp_path, capsys, command):
    """It said that the bounds 'tight' would work, and not that they assert independence."""
    (tmp_path / "table.csv").write_text("A,B\n0.1,0.9\n")
    arguments = [command, str(tmp_path / "table.csv"), "--rewards", "0", "1", "--policy"]
    assert main([*arguments, "top-two"]) == 2
    sentence = (
        "the columns of this table may depend on each other. Only the bounds 'sharp' allow this, and {} does not work with "
        "them: leave out --policy, or choose va-lucb or va-uniform or successive-elimination or lil-ucb"
    )
    asserted = ". If you know that the columns are independent of each other, choose --bounds tight\n"
    assert capsys.readouterr().err == f"surefoot: {sentence.format('top-two')}{asserted}"
    assert main([*arguments, "risk-averse-ucb"]) == 2
    assert capsys.readouterr().err == f"surefoot: {sentence.format('risk-averse-ucb')}\n"
    assert main([*arguments, "top-two", "--bounds", "tight"]) == 3


def test_columns_that_depend_are_no_decision_where_there_is_none(tmp_path, capsys):
    (tmp_path / "table.csv").write_text("A,B\n" + "0.1,0.2\n0.2,0.3\n" * 20)
    assert main(["analyze", str(tmp_path / "table.csv"), "--rewards", "0", "1", "--bounds", "paper"]) == 3
    out = capsys.readouterr().out
    assert "depend on each other" in out
    assert "The guarantee holds: the bounds 'paper' allow it." in out
    assert "The decision holds" not in out


def test_many_arms_are_cut_short(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text("arm,reward\n" + "".join(f"a{row},0.5\n" for row in range(100)))
    assert main(["analyze", str(path), "--rewards", "0", "1"]) == 3
    assert "and 70 more arms (--json shows all)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rewards", "0", "0.5"], "must be in [0, 0.5], got"),
        (["--rewards", "1", "0"], "the upper end of rewards must be a number above 1, got 0.0"),
        (["--rewards", "0", "1", "--risk", "steady"], "risk 'steady' must have `variance`"),
        (["--rewards", "0", "1", "--arm", "variant"], "has no column 'variant'; it has arm, reward"),
        (["--rewards", "0", "1", "--policy", "x"], "policy must be one of"),
    ],
)
def test_bad_input_is_a_sentence(log, arguments, sentence, capsys):
    assert main(["analyze", log, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert "Traceback" not in captured.err


def test_the_range_is_never_guessed(log, capsys):
    assert main(["analyze", log]) == 2
    assert "give --rewards LO HI, or --problem FILE" in capsys.readouterr().err


def test_a_log_that_does_not_decide_has_a_recommendation(tmp_path, capsys):
    log = tmp_path / "log.csv"
    log.write_text("arm,reward\n" + "".join(f"{'AB'[k % 2]},{float(k % (3 + k % 2) > 0)}\n" for k in range(24)))
    assert main(["analyze", str(log), "--rewards", "0", "1", "--json", "--delta", "0.01"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["recommended"] == [
        max("AB", key=lambda name: next(row["mean"] for row in found["arms"] if row["name"] == name))
    ]
    assert 0.0 <= found["recommended_confidence"] <= 0.99
    assert 0.0 < found["recommended_gap"] < 1.0
    assert found["candidates"] == ["A", "B"]
    assert "The best guess so far is" in found["sentence"]
