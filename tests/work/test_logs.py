"""Logs as people have them."""

import csv
import gzip
import io
import sys

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from surefoot import Study
from surefoot.errors import InvalidValue
from surefoot.work.export import write_text
from surefoot.work.logs import Log, read_log

LONG = "arm,reward\nA,0.5\nB,0.25\nA,1\n"


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def plain(log: Log):
    return list(zip([log.names[arm] for arm in log.arms], log.rewards.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (LONG, "utf-8"),
        (LONG, "utf-8-sig"),
        (LONG, "utf-16"),
        (LONG.replace("\n", "\r\n"), "utf-8-sig"),
        (LONG.replace(",", "\t"), "utf-8"),
        (LONG.replace(",", "|"), "utf-8"),
        (LONG.replace(",", ", "), "utf-8"),
        ('"arm","reward"\n"A",0.5\n"B","0.25"\n"A",1\n', "utf-8"),
        ("arm;reward\nA;0,5\nB;0,25\nA;1\n", "utf-8"),
        ("arm;reward\nA;0.5\nB;0.25\nA;1\n", "utf-8"),
        ('when,arm,note,reward\n1,A,"x, y",0.5\n2,B,"two\nlines",0.25\n3,A,,1\n', "utf-8"),
    ],
)
def test_the_same_log_however_it_is_written(tmp_path, text, encoding):
    log = read_log(written(tmp_path, text, encoding))
    assert plain(log) == [("A", 0.5), ("B", 0.25), ("A", 1.0)]
    assert log.skipped == 0


def test_columns_of_other_names(tmp_path):
    path = written(tmp_path, "variant,sales,arm\nred,3,x\n7,4,x\n")
    assert plain(read_log(path, "variant", "sales")) == [("red", 3.0), ("7", 4.0)]


def test_missing_values_are_skipped_and_counted(tmp_path):
    path = written(tmp_path, "arm,reward\nA,0.5\nB,\n,0.5\nB,NA\nA,nan\nB,0.25\n")
    log = read_log(path)
    assert (plain(log), log.skipped) == ([("A", 0.5), ("B", 0.25)], 4)


def test_wide_form_is_read_row_by_row(tmp_path):
    path = written(tmp_path, "A,B,when\n0.5,0.25,9\n1,,9\n0,0.75,9\n")
    log = read_log(path, columns=["A", "B"])
    assert plain(log) == [("A", 0.5), ("B", 0.25), ("A", 1.0), ("A", 0.0), ("B", 0.75)]
    assert log.skipped == 1
    assert read_log(path).names == ("A", "B", "when")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
    assert len(read_log("-").rewards) == 3


def test_parquet(tmp_path):
    path = tmp_path / "log.parquet"
    table = {"arm": [1, 2, None, 1], "reward": [0.5, None, 0.1, 1.0], "A": [1, 2, 3, 4], "B": [0.1, None, 0.3, 0.4]}
    parquet.write_table(pyarrow.table(table), path)
    log = read_log(path)
    assert (plain(log), log.skipped) == ([("1", 0.5), ("1", 1.0)], 2)
    wide = read_log(path, columns=["A", "B"])
    assert plain(wide)[:4] == [("A", 1.0), ("B", 0.1), ("A", 2.0), ("A", 3.0)]


def test_parquet_with_a_name_twice(tmp_path):
    path = tmp_path / "log.parquet"
    columns = [pyarrow.array(["A"]), pyarrow.array([0.5]), pyarrow.array([0.7])]
    parquet.write_table(pyarrow.Table.from_arrays(columns, ["arm", "reward", "reward"]), path)
    with pytest.raises(InvalidValue, match="each column must have a name of its own, got 'reward' twice in "):
        read_log(path)


def test_many_arms_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("surefoot.work.log_files.BLOCK", 1 << 12)
    generator = np.random.default_rng(0)
    arms = generator.integers(0, 3000, 20_000)
    path = written(tmp_path, "arm,reward\n" + "".join(f"a{arm},{arm / 4096}\n" for arm in arms))
    log = read_log(path)
    assert [log.names[arm] for arm in log.arms] == [f"a{arm}" for arm in arms]
    assert log.names == tuple(dict.fromkeys(f"a{arm}" for arm in arms))
    assert np.array_equal(log.rewards, arms / 4096)


@pytest.mark.parametrize(
    ("text", "given", "sentence"),
    [
        (LONG, {"arm": "variant"}, "has no column 'variant'; it has arm, reward"),
        (
            "name,value\nA,1\n",
            {},
            "it has no columns arm and reward, so each of name, value must hold the results of one arm",
        ),
        (
            "item,a,b\nq1,1,0\n",
            {},
            "If one column names the items that all arms were tried on, add --design items --item COLUMN",
        ),
        ("arm,reward\nA,high\n", {}, "must have numbers as results: row 2 has 'high' in column 'reward'"),
        ("arm;reward\nA;0,5\n\nB;NA\nA;x\n", {}, "must have numbers as results: row 5 has 'x' in column 'reward'"),
        (
            "A,B\n0.1,0.2\n0.1,-\n",
            {},
            "row 3 has '-' in column 'B'; it has no columns arm and reward, so each of A, B must",
        ),
        ("arm,reward\nA,0.5\nA,0.5,7\n", {}, "row 3 has 3 cells, and there are 2 columns"),
        ("arm,reward\nA,1\nA,inf\n", {}, "must have finite numbers as results: row 3 has 'inf' in column 'reward'"),
        ("arm,reward\n".encode("utf-16") + b"A", {}, "begins like text in UTF-16, but is not: .*truncated data"),
        (b"PAR1 and nothing more", {}, "must have numbers as results: Parquet magic bytes not found in footer"),
        ("arm,reward\nA,\n", {}, "must have at least one result, got none"),
        ("arm,reward\n", {}, "must have at least one result, got none"),
        ("", {}, "must begin with a row of column names, got nothing"),
        ("0.5,0.25\n0.1,0.2\n", {}, "must begin with a row of column names, got 0.5, 0.25"),
        ("arm,reward,arm\nA,1,B\n", {}, "got 'arm' twice"),
        ("A,B\n0.1,0.2\n", {"columns": ["B", "B"]}, "each column must be named once, got 'B' twice"),
        ("A,B\n0.1,0.2\n", {"arm": "A", "reward": "A"}, "each column must be named once, got 'A' twice"),
        (gzip.compress(LONG.encode(), mtime=0), {}, "is compressed with gzip: unpack it first"),
        (LONG, {"arm": "arm", "columns": ["A"]}, "got names for both forms"),
        (b"arm,reward\n\xff,1\n", {}, "UTF8"),
    ],
)
def test_what_is_no_log_is_refused_with_a_sentence(tmp_path, text, given, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        read_log(written(tmp_path, text), **given)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidValue, match="No such file"):
        read_log(tmp_path / "none.csv")


def test_without_pyarrow_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    from surefoot.errors import Unsupported
    from surefoot.work import log_files, logs

    (tmp_path / "log.csv").write_text("arm,reward\nA,1\n")
    monkeypatch.setattr(log_files, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"reading logs needs pyarrow: pip install 'surefoot\[logs\]'"):
        logs.read_log(tmp_path / "log.csv")


def test_an_export_has_no_formulas_and_is_read_back(tmp_path):
    names = ["=HYPERLINK(1)", "+1", "-5%", "@cmd", "'=quoted", "plain", "'quoted'"]
    study = Study(names)
    for name in names:
        study.record(name, 0.5)
    pull = study.ask(1, worker="=1+1")[0]
    study.tell(pull, 0.5)
    path = tmp_path / "rewards.csv"
    with open(path, "w", newline="") as file:
        assert write_text(study, "s", "csv", file) == len(names) + 1
    with open(path, newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert read_log(path).names == tuple(names)


def test_true_and_false_are_rewards(tmp_path):
    """As pandas writes them."""
    log = read_log(written(tmp_path, "arm,reward\nA,True\nB,False\nA,\nB,true\n"))
    assert (plain(log), log.skipped) == ([("A", 1.0), ("B", 0.0), ("B", 1.0)], 1)
    log = read_log(written(tmp_path, "A,B\nTrue,0.25\nFalse,0.5\n"))
    assert plain(log) == [("A", 1.0), ("B", 0.25), ("A", 0.0), ("B", 0.5)]
    with pytest.raises(InvalidValue, match="row 3 has 'True' in column 'reward'"):
        read_log(written(tmp_path, "arm,reward\nA,0.5\nB,True\n"))


@pytest.mark.parametrize("cell", ["1_0", "٣"])
def test_text_that_python_alone_takes_for_a_number_is_named(tmp_path, cell):
    with pytest.raises(InvalidValue, match=f"row 2 has '{cell}' in column 'reward'"):
        read_log(written(tmp_path, f"arm,reward\nA,{cell}\n"))


def test_the_nearest_column_is_named(tmp_path):
    with pytest.raises(InvalidValue, match=r"has no column 'rewrd'; it has arm, reward; did you mean reward\?"):
        read_log(written(tmp_path, LONG), reward="rewrd")


class Compared(str):
    """A name that counts how often it is compared with another."""

    count = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Compared.count += 1
        return str(self) == str(other)


def test_the_work_of_a_wide_log_grows_with_its_columns_and_not_with_their_square(tmp_path):
    names = [Compared(f"a{number}") for number in range(2_000)]
    path = written(tmp_path, ",".join(names) + "\n" + ",".join(["0.5"] * len(names)) + "\n")
    assert len(read_log(path, columns=names).rewards) == len(names)
    assert Compared.count < 20 * len(names)
