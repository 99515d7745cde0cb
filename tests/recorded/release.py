"""Writes what a version leaves behind: `python -m tests.recorded.release`, once, by the code that is released."""

import json
import shlex
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

import surefoot
from surefoot import Study
from surefoot.cli import main
from surefoot.storage import Storage, connect
from tests.recorded import adapter, live
from tests.recorded.answers import folder_with
from tests.recorded.released import API, FOLDER, STUDIES, arguments, reward
from tests.service.serving import served

PROBLEM = """\
risk = "variance <= 0.06"
rewards = [0, 1]
[[arms]]
name = "drawn"
beta = { mean = 0.7, variance = 0.01 }
[[arms]]
name = "logged"
data = "outcomes.csv:reward"
[[arms]]
name = "constant"
command = ["echo", "0.3"]
[[arms]]
name = "broken"
command = ["false"]
"""
OUTCOMES = "reward\n" + "".join(f"{k % 7 / 10}\n" for k in range(70))
ARMS = ["A", "B", "C", 'it\'s "D"']
EVERYTHING = {
    "risk": "quantile(0.9) <= 9.5",
    "rewards": [0, 10],
    "goal": "min",
    "delta": 0.02,
    "tolerance": 0.25,
    "risk_slack": 0.25,
    "max_pulls": 300,
    "policy": "va-lucb",
    "bounds": "sharp",
    "seed": 7,
    "lease": 60,
}
BEGUN: dict[str, Any] = {
    "run": [
        "run run.toml --max-pulls 30",
        "run run.toml --name other --policy va-lucb --bounds sharp --seed 5 --workers 1 --max-pulls 40",
    ],
    "open": {
        "all arguments": {"arms": ARMS} | EVERYTHING,
        "few arguments": {"arms": ARMS, "risk": "variance <= 0.04"},
        "normal": {"arms": ARMS, "rewards": "gaussian", "risk": "std <= 2", "lease": 60},
        "sigma": {"arms": ARMS, "subgaussian": 0.2, "lease": 60},
        "paper": {"arms": ARMS, "bounds": "paper", "policy": "va-lucb", "max_pulls": 120},
    },
    "post": [
        {"name": "posted", "arms": ARMS, "risk": "std <= 0.3", "lease": 60, "delta": 0.1},
        {"name": "posted, all fields", "arms": ARMS}
        | EVERYTHING
        | {"rewards": [0, 1], "risk": "cvar_upper(0.1) <= 0.99"},
    ],
}
JOURNALS = [(group, plan) for group in sorted(live.REOPENED) for plan in live.plans(group)][::2]


def write(target: Path) -> None:
    with folder_with({"run.toml": PROBLEM, "outcomes.csv": OUTCOMES}) as folder:
        for command in BEGUN["run"]:
            main(shlex.split(command))
        leave_pulls_behind("run")
        with adapter.clock() as clock, adapter.snapshots_every(20):
            storage = adapter.storage_with(clock, connect(STUDIES))
            for name, fields in BEGUN["open"].items():
                begin(Study.open(storage, name, **arguments(fields)), clock)
            for body in BEGUN["post"]:
                post(storage, body)
            storage.close()
        target.mkdir(parents=True)
        for name in ("run.toml", "outcomes.csv", "run.db", STUDIES):
            if name.endswith(".db"):
                pack(folder / name)
            (target / name).write_bytes((folder / name).read_bytes())
    (target / "begun.json").write_text(json.dumps(BEGUN, indent=1) + "\n", encoding="utf-8")
    (target / "journals").mkdir()
    for group, plan in JOURNALS:
        events = live.play(group, plan, live.PLANS[plan], lambda storage, study: study).text["journal"]
        kept = [line.replace('"surefoot": "*"', f'"surefoot": "{surefoot.__version__}"') for line in events]
        path = target / "journals" / f"{group}, {plan}.jsonl".replace(",", "").replace(" ", "_")
        path.write_text("\n".join([*kept[: len(kept) * 3 // 5], ""]), encoding="utf-8")


def leave_pulls_behind(name: str) -> None:
    """As a run does that is killed."""
    study = Study.open(f"{name}.db", name)
    worker = next(event["worker"] for event in study.events if event["type"] == "asked")
    study.ask(3, worker=worker)


def begin(study: Study, clock: adapter.Clock) -> None:
    """Some of everything; three pulls stay in flight, one of them behind a told one."""
    names = study.problem.names

    def tell(pull: Any) -> None:
        study.tell(pull, reward(names, pull.arm, pull.id, study))

    lost, given_up, *pulls = study.ask(10, worker="one", request="r-1")
    for pull in reversed(pulls):
        tell(pull)
    study.abandon(given_up)
    clock.seconds += 100.0
    study.heartbeat(lost)
    tell(lost)
    study.record_all([(arm, reward(names, arm, 5, study)) for arm in names])
    for _ in range(4):
        for pull in study.ask(3, worker="two"):
            tell(pull)
    adapter.exclude(study, names[0], "exit code 1")
    _, second, *_ = study.ask(4, worker="two", request="r-2")
    tell(second)


def post(storage: Storage, body: dict[str, Any]) -> None:
    with served(storage) as url, httpx.Client(base_url=url, timeout=30) as http:
        at = f"{API}/{http.post(API, json=body).raise_for_status().json()['id']}"
        pulls = http.post(f"{at}/ask", json={"count": 6, "worker": "one", "request": "r-1"}).json()["pulls"]
        told = [{"pull": pull["id"], "reward": reward(body["arms"], pull["arm"], pull["id"])} for pull in pulls[1:]]
        http.post(f"{at}/tell", json={"results": told}).raise_for_status()
        results = [{"arm": arm, "reward": reward(body["arms"], arm, 3)} for arm in body["arms"]]
        http.post(f"{at}/record", json={"results": results}).raise_for_status()


def pack(path: Path) -> None:
    """One file, without its log."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")


if __name__ == "__main__":
    folder = FOLDER / surefoot.__version__
    if folder.exists():
        sys.exit(f"{folder} is there: what a released version wrote is never changed")
    write(folder)
