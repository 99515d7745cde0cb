"""`surefoot analyze --design items`: tables of scores."""

import json

import numpy as np
import pytest

from surefoot.cli import main

OPTIONS = ["--design", "items", "--rewards", "0", "1", "--json"]


def written(path, table, names=("A", "B", "C"), item=None):
    """A table as a file; NaN is an empty cell."""
    head = [*([item] if item else []), *names[: len(table[0])]]
    rows = [
        [*([f"q{number}"] if item else []), *("" if np.isnan(x) else f"{x:g}" for x in row)]
        for number, row in enumerate(table)
    ]
    path.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    return str(path)


@pytest.fixture
def scores():
    """Of 200 items: B is the best."""
    generator = np.random.default_rng(6)
    hard = generator.random((200, 1))
    return (hard < [0.6, 0.8, 0.5]).astype(float)


def analyzed(capsys, *arguments):
    code = main(["analyze", *arguments])
    out = capsys.readouterr().out
    return code, json.loads(out)


def test_a_table_is_decided_by_a_share_of_its_cells(tmp_path, scores, capsys):
    path = written(tmp_path / "scores.csv", scores)
    for finite in ([], ["--finite"]):
        code, found = analyzed(capsys, path, *OPTIONS, *finite)
        assert (code, found["status"], found["answer"]) == (0, "best", ["B"])
        assert found["cells"] == {"needed": found["pulls"], "all": 600, "empty": 0}
        assert found["share"] == found["pulls"] / 600 < 0.6
        assert found["next_cells"] == []
    assert "drew the order of the items at random, with seed 0" in found["assumptions"][0]


def test_a_finite_list_without_empty_cells_is_always_decided_and_by_the_table(tmp_path, capsys):
    for table, best in (
        ([[1.0, 0.0]], "A"),
        ([[0.0, 1.0], [1.0, 1.0]], "B"),
        ([[0.2, 0.3, 0.1], [0.4, 0.2, 0.1], [0.1, 0.3, 0.9]], "C"),
    ):
        path = written(tmp_path / "scores.csv", table)
        code, found = analyzed(capsys, path, *OPTIONS, "--finite", "--delta", "1e-60")
        assert (code, found["arm"]) == (0, best)
    tie = written(tmp_path / "scores.csv", [[1.0, 0.0], [0.0, 1.0]])
    code, found = analyzed(capsys, tie, *OPTIONS, "--finite")
    assert (code, found["status"]) == (0, "best")
    assert found["arm"] in ("A", "B")


def test_the_order_of_a_file_with_empty_cells_is_its_own_and_holes_are_said(tmp_path, scores, capsys):
    scores[[3, 50, 120], [0, 1, 2]] = np.nan
    path = written(tmp_path / "scores.csv", scores)
    code, found = analyzed(capsys, path, *OPTIONS, "--finite")
    assert (code, found["arm"], found["cells"]["empty"]) == (0, "B", 3)
    order, holes = found["assumptions"]
    assert order == "The rows are taken to be in random order, drawn before the first result was known."
    assert holes.startswith("3 cells are empty. They are taken to be missing at random")
    assert analyzed(capsys, path, *OPTIONS, "--finite", "--seed", "7")[1]["pulls"] == found["pulls"]


def test_the_cells_to_fill_next(tmp_path, capsys):
    table = [[1.0, 0.0], [0.0, 1.0], [np.nan, 1.0], [1.0, np.nan]]
    path = written(tmp_path / "scores.csv", table, item="item")
    code, found = analyzed(capsys, path, *OPTIONS, "--finite", "--delta", "1e-9")
    assert (code, found["status"], found["answer"]) == (3, "undecided", None)
    assert {(cell["arm"], cell["item"]) for cell in found["next_cells"]} == {("A", "q2"), ("B", "q3")}
    assert set(found["next"]) == {"A", "B"}
    full = written(tmp_path / "full.csv", [[1.0, 0.0], [0.0, 1.0]])
    code, found = analyzed(capsys, full, *OPTIONS)
    assert (code, {cell["item"] for cell in found["next_cells"]}) == (3, {2})  # a sample ends: an item of its own


def test_the_long_form_says_the_same_as_the_wide_one(tmp_path, scores, capsys):
    wide = analyzed(capsys, written(tmp_path / "wide.csv", scores), *OPTIONS)[1]
    rows = [f"q{item},{arm},{scores[item][k]:g}" for item in range(200) for k, arm in enumerate("ABC")]
    path = tmp_path / "long.csv"
    path.write_text("question,model,score\n" + "\n".join(rows) + "\n")
    names = ["--item", "question", "--arm", "model", "--reward", "score"]
    long = analyzed(capsys, str(path), *OPTIONS, *names)[1]
    same = ("answer", "pulls", "share", "cells")
    assert {key: long[key] for key in same} == {key: wide[key] for key in same}
    path.write_text("question,model,score\n" + "\n".join([*rows, rows[7]]) + "\n")
    assert main(["analyze", str(path), *OPTIONS, *names]) == 2
    assert "each arm must have one result for each item, got 2 of arm 'B' for item 'q2'" in capsys.readouterr().err


def test_several_metrics_with_a_limit_from_a_problem_file(tmp_path, capsys):
    generator = np.random.default_rng(3)
    problem = tmp_path / "models.toml"
    problem.write_text(
        'goal = "max mean(score)"\nlimits = ["mean(cost) <= 0.5"]\ndesign = "items"\n'
        "[metrics]\nscore = [0, 1]\ncost = [0, 1]\n[items]\ncount = 1\nfinite = true\n"
    )
    rows = ["A:score,A:cost,B:score,B:cost"]
    rows += [f"{0.4 + 0.1 * x:.3f},0.3,{0.8 + 0.1 * x:.3f},0.9" for x in generator.random(60)]
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n")
    code, found = analyzed(capsys, str(tmp_path / "scores.csv"), "--problem", str(problem), "--json")
    assert (code, found["arm"]) == (0, "A")
    assert found["arms"][1]["limits"][0]["verdict"] == "infeasible"


def test_people_get_the_share_and_the_suggestion(tmp_path, scores, capsys):
    path = written(tmp_path / "scores.csv", scores)
    assert main(["analyze", path, "--rewards", "0", "1"]) in (0, 3)
    assert "add --design items" in capsys.readouterr().err
    assert main(["analyze", path, *OPTIONS[:-1], "--finite"]) == 0
    out = capsys.readouterr().out
    assert "of one trial of each arm on each of these 200 items" in out
    assert " of 600 cells, " in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--finite"], "--finite goes with --design items, got it without"),
        (["--item", "A"], "--item goes with --design items, got it without"),
        (["--design", "items", "--policy", "va-lucb"], "--design items is decided by --policy top-two, got va-lucb"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, scores, arguments, sentence, capsys):
    assert main(["analyze", written(tmp_path / "scores.csv", scores), "--rewards", "0", "1", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_long_table_without_items_is_refused(tmp_path, capsys):
    path = tmp_path / "long.csv"
    path.write_text("arm,reward\nA,1\nB,0\n")
    assert main(["analyze", str(path), *OPTIONS]) == 2
    assert "must name the item of each result: give --item COL" in capsys.readouterr().err
