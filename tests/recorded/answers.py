"""What programs read: `--json` of the commands, and HTTP. Times, versions and paths are masked, numbers cut to 12 digits."""

import contextlib
import io
import json
import os
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from surefoot.cli import main
from tests.recorded import adapter
from tests.recorded.rows import Recorded
from tests.service.serving import served

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = 90  # characters of a body in the name of a case
MASKED = {"seconds", "ns_per_pull", "version", "surefoot", "time", "changed", "created"}
FILES = {
    "quick.toml": """\
risk = "variance <= 0.04"
rewards = [0, 1]
[[arms]]
name = "good"
beta = { mean = 0.8, variance = 0.01 }
[[arms]]
name = "poor"
data = "outcomes.csv:poor"
""",
    "commands.toml": """\
goal = "min"
rewards = [0, 5]
tolerance = 0.1
max_pulls = 400
[[arms]]
name = "two"
command = ["echo", "2"]
[[arms]]
name = "four"
command = ["echo", "4"]
[[arms]]
name = "broken"
command = ["false"]
[[arms]]
name = "chatty"
command = ["echo", "no number"]
[[arms]]
name = "beyond"
command = ["echo", "7"]
""",
    "normal.toml": """\
rewards = "gaussian"
risk = "std <= 2"
[[arms]]
name = "one"
normal = { mean = 1, variance = 1 }
[[arms]]
name = "two"
normal = { mean = 2.5, variance = 2 }
""",
    "guesses.toml": """\
risk = "quantile(0.1) >= 0.2"
rewards = [0, 1]
[[arms]]
name = "new"
beta = { mean = [0.6, 0.7], variance = 0.01 }
[[arms]]
name = "old"
bernoulli = 0.5
""",
    "wrong.toml": 'rewards = [0, 1]\nlimit = "variance <= 0.04"\n',
    "outcomes.csv": "good,poor\n" + "".join(f"{0.6 + k % 7 / 20},{k % 5 / 10}\n" for k in range(400)),
    "log.csv": "arm,reward\n" + "".join(f"{'ABC'[k % 3]},{(k % 3) / 3 + k % 11 / 40}\n" for k in range(900)) + "A,\n",
    "drift.csv": "arm,reward\n" + "".join(f"{'AB'[k % 2]},{(k // 2) / 400}\n" for k in range(600)),
}
COMMANDS = {  # by group: each goes on in the folder that the one before it left
    "simulate": [
        "simulate steady.toml --trials 6 --seed 1",
        "simulate steady.toml --trials 4 --seed 2 --bounds paper --max-pulls 900",
        "simulate steady.toml --trials 2 --max-pulls 20 --engine interpreted",
        "simulate normal.toml --trials 3 --delta 0.01 --engine interpreted",
        "simulate wrong.toml",
        "simulate commands.toml",
        "simulate steady.toml --policy nobody",
        "simulate steady.toml --policy top-two --bounds paper",
    ],
    "hardness": [
        "hardness steady.toml",
        "hardness normal.toml --delta 0.01",
        "hardness guesses.toml",
        "hardness no.toml",
    ],
    "plan": ["plan steady.toml --trials 20 --seed 3", "plan guesses.toml --trials 10 --max-pulls 3000"],
    "run": [
        "run quick.toml --max-pulls 12",
        "run quick.toml --max-pulls 20 --workers 1 --seed 0",
        "status quick.toml",
        "run quick.toml",
        "run quick.toml",
        "run quick.toml --seed 1",
        "run quick.toml --name other --seed 1 --policy va-lucb --bounds sharp --max-pulls 30",
        "status other --db quick.db",
        "status nobody --db quick.db",
        "run commands.toml --retries 0",
        "export quick.toml",
        "export quick.toml --out rewards.csv",
        "list",
        "list --db quick.db",
        "salvage quick.toml",
        "salvage other --db quick.db --to rescued.db",
        "delete other --db quick.db --yes",
        "delete other --db quick.db --yes",
        "list",
    ],
    "import": [
        "import log.csv --rewards 0 1 --risk 'variance <= 0.04'",
        "import log.csv --append",
        "import outcomes.csv --problem quick.toml",
        "status log",
        "import log.csv",
        "import log.csv --rewards 0 0.5 --name narrow",
    ],
    "analyze": [
        "analyze log.csv --rewards 0 1 --risk 'variance <= 0.04'",
        "analyze log.csv --rewards 0 1 --risk 'quantile(0.1) >= 0.5' --delta 1e-30",
        "analyze outcomes.csv --columns good poor --rewards 0 1 --goal min --bounds sharp --tolerance 0.01",
        "analyze drift.csv --rewards 0 1 --risk 'cvar(0.1) >= 0.9' --risk-slack 0.05",
        "analyze log.csv --rewards 0 0.2",
        "analyze log.csv --rewards 0 1 --reward nobody",
    ],
}


def groups() -> list[str]:
    return [*COMMANDS, *SESSIONS]


def record(group: str) -> Iterator[Recorded]:
    if group in SESSIONS:
        yield from session(group, SESSIONS[group])
        return
    with folder_with(FILES) as folder:
        shutil.copy(EXAMPLES / "steady.toml", folder)
        names = Names()
        for command in COMMANDS[group]:
            fields = command_answer([*shlex.split(command), "--json"])
            yield Recorded(names(f"{group}: surefoot {command}"), fields)


class Names(Counter[str]):
    """Of cases, so that one more of them renames none of the others."""

    def __call__(self, name: str) -> str:
        self[name] += 1
        return name if self[name] == 1 else f"{name} ({self[name]})"


def command_answer(arguments: list[str]) -> dict[str, Any]:
    """The exit code of a command, the object that it printed, and what it said beside that."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    found = json.loads(out.getvalue()) if out.getvalue() else None
    return {"exit": code, "answer": plain(found), "error": plain(err.getvalue().splitlines())}


@contextlib.contextmanager
def folder_with(files: dict[str, str]) -> Iterator[Path]:
    """A folder with these files, to be in."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        for file, text in files.items():
            (Path(name) / file).write_text(text, encoding="utf-8")
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def plain(value: Any, key: str = "") -> Any:
    """A value without what differs from one time to the next, or from one machine to another."""
    if isinstance(value, dict):
        return {name: plain(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if key in MASKED and value is not None:
        return "*"
    if isinstance(value, float):
        return float(f"{value:.12g}")
    return value.replace(os.getcwd(), "*") if isinstance(value, str) else value


# --- HTTP

Call = tuple[str, str, Any]  # method, path behind /api/studies, body
COLOURS = {"name": "colours", "arms": ["red", "blue", "grey"], "risk": "variance <= 0.04", "lease": 60, "delta": 0.1}
ALL_FIELDS = {
    "name": "all of them: ä/ö",
    "arms": ["x", "y"],
    "risk": "quantile(0.9) <= 8",
    "rewards": [0, 10],
    "delta": 0.01,
    "goal": "min",
    "tolerance": 0.25,
    "risk_slack": 0.5,
    "max_pulls": 60,
    "policy": "va-lucb",
    "bounds": "sharp",
    "seed": 7,
    "lease": 5.5,
}


def results(*pairs: tuple[int, Any]) -> dict[str, Any]:
    return {"results": [{"pull": pull, "reward": reward} for pull, reward in pairs]}


def recorded(*pairs: tuple[str, Any]) -> dict[str, Any]:
    return {"results": [{"arm": arm, "reward": reward} for arm, reward in pairs]}


WORK: list[Call | float] = [  # a number: so many seconds pass
    ("GET", "", None),
    ("POST", "", COLOURS),
    ("POST", "", COLOURS),
    ("POST", "", COLOURS | {"delta": 0.2}),
    ("POST", "", ALL_FIELDS),
    ("POST", "", {"name": "normal", "arms": ["x", "y"], "rewards": "gaussian"}),
    ("POST", "", {"name": "sigma", "arms": ["x"], "subgaussian": 0.5, "risk": "std <= 0.2"}),
    ("POST", "/colours/ask", {"count": 6, "worker": "one", "request": "r-1"}),
    ("POST", "/colours/ask", {"count": 6, "worker": "one", "request": "r-1"}),
    ("POST", "/colours/tell", results((2, 0.75), (1, 0.25), (3, 0.5))),
    ("POST", "/colours/tell", results((2, 0.75))),
    ("GET", "/colours", None),
    30.0,
    ("POST", "/colours/heartbeat", {"pulls": [4, 1]}),
    40.0,
    ("POST", "/colours/tell", results((5, 0.5))),
    ("POST", "/colours/tell", results((4, 0.125))),
    ("POST", "/colours/abandon", {"pull": 6}),
    ("POST", "/colours/ask", None),
    ("POST", "/colours/record", recorded(("red", 0.375), ("blue", 0.625), ("blue", 1))),
    ("GET", "/colours?arms=1", None),
    ("POST", "/all~20of~20them~3a~20~c3~a4~2f~c3~b6/record", recorded(*[("x", 2.5), ("y", 7.5)] * 30)),
    ("GET", "/all~20of~20them~3a~20~c3~a4~2f~c3~b6", None),
    (
        "POST",
        "/normal/record",
        recorded(*[("x", 0.5 * (k % 3)) for k in range(9)], *[("y", 4 + k % 2) for k in range(9)]),
    ),
    ("GET", "/normal", None),
    ("POST", "/sigma/close", None),
    ("POST", "/sigma/ask", {"count": 1}),
    ("GET", "/sigma", None),
    ("POST", "/colours/close", None),
    ("GET", "", None),
    ("DELETE", "/sigma", None),
    ("GET", "/sigma", None),
]
REFUSED: list[Call | float] = [
    ("POST", "", COLOURS),
    ("POST", "/colours/ask", {"count": 2}),
    ("POST", "", {"name": "x"}),
    ("POST", "", {"name": "x", "arms": []}),
    ("POST", "", {"name": "x", "arms": ["a"], "risk": "variance < 1"}),
    ("POST", "", {"name": "x", "arms": ["a"], "rewards": [1, 0]}),
    ("POST", "", {"name": "x", "arms": ["a"], "rewards": [0, 1], "subgaussian": 1}),
    ("POST", "", {"name": "x", "arms": ["a"], "policy": "track-and-stop"}),
    ("POST", "", {"name": "x", "arms": ["a"], "delta": "0.1"}),
    ("POST", "", {"name": "x", "arms": ["a"], "unknown": 1}),
    ("POST", "/nobody/ask", {"count": 1}),
    ("POST", "/colours/ask", {"count": 0}),
    ("POST", "/colours/tell", results((1, 2.0))),
    ("POST", "/colours/tell", results((1, 0.5), (9, 0.5))),
    ("POST", "/colours/tell", {"results": [{"pull": 1}]}),
    ("POST", "/colours/tell", results((1, 0.5))),
    ("POST", "/colours/tell", results((1, 0.25))),
    ("POST", "/colours/abandon", {"pull": 1}),
    ("POST", "/colours/abandon", {"pull": 2}),
    ("POST", "/colours/tell", results((2, 0.5))),
    ("POST", "/colours/record", recorded(("green", 0.5))),
    ("PUT", "/colours", {}),
    ("GET", "/colours/nothing", None),
]
SESSIONS = {"http": WORK, "http refused": REFUSED}


def session(group: str, calls: list[Call | float]) -> Iterator[Recorded]:
    with (
        adapter.clock() as clock,
        served(adapter.storage_with(clock)) as url,
        httpx.Client(base_url=url, timeout=30) as http,
    ):
        names = Names()
        for call in calls:
            if isinstance(call, float):
                clock.seconds += call
                continue
            method, path, body = call
            answer = http.request(method, f"/api/studies{path}", json=body)
            fields = {"status": answer.status_code, "answer": plain(answer.json()) if answer.content else None}
            yield Recorded(names(f"{group}: {method} {path or '/'}{said(body)}"), fields)
        yield Recorded(f"{group}: health", {"answer": plain(http.get("/health").json())})
        yield Recorded(f"{group}: events", {"events": events(http)})


def said(body: Any) -> str:
    text = json.dumps(body, ensure_ascii=False)
    return "" if body is None else f" {text if len(text) < LONG else text[:LONG] + '…'}"


def events(http: httpx.Client) -> list[str]:
    """The events of a study as they are sent, from its second one to its last."""
    last, lines = http.get("/api/studies/colours").json()["position"], list[str]()
    with http.stream("GET", "/api/studies/colours/events?since=1") as answer:
        for line in answer.iter_lines():
            lines.append(line)
            if f"id: {last}" in lines and not line:
                return lines
    return lines
