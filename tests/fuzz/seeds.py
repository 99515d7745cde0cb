"""What well-formed input looks like: where mutations begin."""

import io
import json

import pyarrow
from pyarrow import parquet

from surefoot import Study

PROBLEM = b"""goal = "min"
risk = "probability(reward < 0.2) <= 0.05"
rewards = [0, 10]
delta = 0.01
tolerance = 1e-3
risk_slack = 0.001
max_pulls = 1000

[[arms]]
name = "steady"
beta = { mean = 5.5, variance = 1.0 }

[[arms]]
name = "drawn"
discrete = { values = [0, 0.5, 1], weights = [1, 2, 1] }

[[arms]]
name = "measured"
command = ["./measure.sh", "fast"]

[[arms]]
name = "called"
call = "module:function"

[[arms]]
name = "read"
data = "outcomes.csv:column"
"""

SHORT_PROBLEM = b'subgaussian = 0.5\nrisk = "std <= 0.2"\n[[arms]]\nname = "a"\nnormal = { mean = 1, variance = 0.2 }\n'

RISKS = [
    b"variance <= 0.04",
    b"std <= 1e-3",
    b"quantile(0.05) >= -2.5",
    b"quantile ( .9 ) <= 7",
    b"cvar(0.05) >= 0.1",
    b"cvar_upper(0.05) <= 0.9",
    b"probability(reward < 0.2) <= 0.05",
    b"probability(reward > 30) <= 0.01",
    b"none",
]

LOGS = [
    b"arm,reward\nA,0.5\nB,0.25\nA,1\n",
    b'"arm";"reward"\n"A";0,5\n"B";"0,25"\n',
    b'when\tarm\tnote\treward\n1\tA\t"x\ty"\t0.5\n2\tB\t"two\nlines"\t\n',
    "arm,reward\nA,0.5\n".encode("utf-16"),
    b"A,B\n0.5,0.25\n1,\n",
]


def written_parquet(compression: str) -> bytes:
    file = io.BytesIO()
    table = pyarrow.table({"arm": ["A", "B", None, "A"] * 5, "reward": [0.5, None, 0.1, 1.0] * 5})
    parquet.write_table(table, file, compression=compression)
    return file.getvalue()[4:]  # the target puts the first four bytes there


PARQUETS = [written_parquet("none"), written_parquet("snappy")]


def written_journal() -> bytes:
    study = Study(["A", "B", "C"], risk="variance <= 0.04", lease=600, max_pulls=12)
    pulls = study.ask(4, worker="w", request="r")
    study.tell_all([(pull, 0.5) for pull in pulls[:2]])
    study.heartbeat(pulls[2])
    study.abandon(pulls[3])
    study.record("B", 0.25)
    study.abandon(pulls[2])
    study.set_aside("C", "broken")
    study.tell_all([(pull, 0.75) for pull in study.ask(3)])
    study.close()
    return b"\n".join(json.dumps(event).encode() for event in study.events)


JOURNAL = written_journal()

CREATION = (
    b'{"name": "n", "arms": ["a", "b"], "risk": "variance <= 0.04", "rewards": [0, 1], "delta": 0.05, "lease": 60}'
)
REQUESTS = [
    ("POST", "/api/studies", CREATION),
    ("POST", "/api/studies/s/ask", b'{"count": 2, "worker": "w", "request": "r"}'),
    ("POST", "/api/studies/s/tell", b'{"results": [{"pull": 1, "reward": 0.5}, {"pull": 2, "reward": 1}]}'),
    ("POST", "/api/studies/s/record", b'{"results": [{"arm": "red", "reward": 0.5}]}'),
    ("POST", "/api/studies/s/abandon", b'{"pull": 1}'),
    ("POST", "/api/studies/s/heartbeat", b'{"pulls": [1, 2]}'),
    ("POST", "/api/studies/s/exclude", b'{"arm": "red", "why": "no such colour"}'),
    ("POST", "/api/studies/s/close", b""),
    ("GET", "/api/studies/s/pulls", b""),
    ("GET", "/api/studies/s/pulls/1", b""),
    ("GET", "/api/studies/s", b""),
    ("DELETE", "/api/studies/~41", b""),
]

SEEDS: dict[str, list[bytes]] = {
    "problem_file": [PROBLEM, SHORT_PROBLEM],
    "risk": RISKS,
    "log": LOGS,
    "parquet": PARQUETS,
    "journal": [JOURNAL],
    "address": [b"dose~20~2f~20week", b"~e6~97~a5", b"plain-id_1"],
    "request": [bytes([index]) + body for index, (_, _, body) in enumerate(REQUESTS)],
}

# What breaks readers: the ends of numbers, of text and of nesting.
TOKENS = [
    *(
        b"nan",
        b"inf",
        b"-Infinity",
        b"1e999",
        b"-1e-999",
        b"5e-324",
        b"-0.0",
        b"9" * 400,
        b"1_0",
        b"0x10",
        b"\xef\xbb\xbf",
    ),
    *(b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b'"', b"'", b"\n", b"\r", b",", b";", b"[", b"{", b"}", b"]"),
    *(b"null", b"true", b"false", b"-1", b"18446744073709551616", b"[" * 2000, b"1" * 5000, b" " * 5000, b"a." * 2000),
]
