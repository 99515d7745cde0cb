"""What released versions wrote, read and gone on with: by the same command, the same `Study.open`, the same POST.

Each folder of `released` was written by the version it is named after (`python -m tests.recorded.release`), and is never
changed. Its begun.json says by what commands, arguments and bodies its studies were begun.
"""

import json
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from surefoot import Study
from surefoot.storage import Storage, connect
from tests.recorded import adapter
from tests.recorded.answers import command_answer, folder_with, plain
from tests.recorded.rows import Recorded
from tests.service.serving import served

FOLDER = Path(__file__).parent / "released"
KINDS = ("run", "open", "post", "journals")
STUDIES = "studies.db"
API = "/api/studies"
LATER = 3600.0  # seconds until somebody goes on


def versions() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir())


def groups() -> list[str]:
    return [f"{version} {kind}" for version in versions() for kind in KINDS]


def record(group: str) -> Iterator[Recorded]:
    version, kind = group.split()
    begun = json.loads((FOLDER / version / "begun.json").read_text(encoding="utf-8"))
    with folder_with({}) as folder:
        shutil.copytree(FOLDER / version, folder, dirs_exist_ok=True)
        if kind == "run":
            for command in begun["run"]:
                yield from resumed_run(group, command)
        elif kind == "open":
            for name, fields in begun["open"].items():
                yield resumed_study(group, name, fields)
        elif kind == "post":
            yield from resumed_posts(group, begun["post"])
        else:
            for path in sorted(folder.glob("journals/*.jsonl")):
                yield from resumed_journal(group, path)


# --- surefoot run


def resumed_run(group: str, command: str) -> Iterator[Recorded]:
    """The very command that began it, which has its number of pulls; and the same without that number, to the end."""
    for words in (command, command.partition(" --max-pulls")[0]):
        yield Recorded(f"{group}: surefoot {words}", command_answer([*shlex.split(words), "--json"]))


# --- Study.open


def resumed_study(group: str, name: str, fields: dict[str, Any]) -> Recorded:
    with kept() as storage:
        before = Study.open(storage, name).events
        study = Study.open(storage, name, **arguments(fields))
        found = seen(study)
        finish(study)
        return Recorded(f"{group}: {name}", {"opened": found, "finished": seen(study)}, text(study, before))


@contextmanager
def kept() -> Iterator[Storage]:
    """The studies of this folder, an hour after they were left."""
    with adapter.clock() as clock:
        clock.seconds += LATER
        storage = adapter.storage_with(clock, connect(STUDIES))
        try:
            yield storage
        finally:
            storage.close()


def arguments(fields: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Study.open` that these fields stand for, which are plain data."""
    fields = dict(fields)
    if "subgaussian" in fields:
        fields["rewards"] = adapter.sub_gaussian(fields.pop("subgaussian"))
    return fields


# --- POST


def resumed_posts(group: str, bodies: list[dict[str, Any]]) -> Iterator[Recorded]:
    with kept() as storage, served(storage) as url, httpx.Client(base_url=url, timeout=30) as http:
        for body in bodies:
            before = Study.open(storage, body["name"]).events
            answer = http.post(API, json=body)
            other = http.post(API, json=body | {"seed": 99}).status_code
            fields = {"same": answer.status_code, "another": other, "answer": plain(answer.json())}
            at = f"{API}/{answer.json()['id']}"
            again = http.post(f"{at}/ask", json={"count": 6, "request": "r-1"}).json()
            fields["asked again"] = [[pull["id"], pull["arm"]] for pull in again["pulls"]]
            while (asked := http.post(f"{at}/ask", json={"count": 4}).json())["pulls"]:
                pulls = [(pull["id"], pull["arm"]) for pull in asked["pulls"]]
                results = [{"pull": pull, "reward": reward(body["arms"], arm, pull)} for pull, arm in pulls]
                http.post(f"{at}/tell", json={"results": results}).raise_for_status()
            study = Study.open(storage, body["name"])
            yield Recorded(f"{group}: {body['name']}", fields | {"finished": seen(study)}, text(study, before))


# --- journals


def resumed_journal(group: str, path: Path) -> Iterator[Recorded]:
    before = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    study = Study.from_events(before)
    case = f"{group}: {path.stem}"
    yield Recorded(f"{case}, read", seen(study), text(study, before))
    finish(study)
    yield Recorded(f"{case}, finished", seen(study), text(study, before))


# --- all of them


def finish(study: Study, most: int = 400) -> None:
    """Make the pulls in flight, and then others, to a decision or to so many."""
    names = study.problem.names
    waiting = list(study.pending)
    while not study.decided and len(study.events) < most:
        for pull in waiting or study.ask(3):
            study.tell(pull, reward(names, pull.arm, pull.id, study))
        waiting = []
    study.close()


def reward(names: Any, arm: str, pull: int, study: Study | None = None) -> float:
    """The reward of a pull: that of a later arm is larger, and they vary little."""
    share = (list(names).index(arm) + 0.5) / len(names) + (pull * 37 % 101 - 50) / 500.0
    low, high = adapter.reward_range(study) if study else (0.0, 1.0)
    return low + (high - low) * share


def seen(study: Study) -> dict[str, Any]:
    """What can be read of a study."""
    decision, kinds = study.decision, Counter(event["type"] for event in study.events)
    return {
        "status": decision.status,
        "arm": decision.arm,
        "pulls": {row.name: row.pulls for row in study.table()},
        "pending": [[pull.id, pull.arm] for pull in study.pending],
        "excluded": sorted(adapter.excluded(study)),
        "events": dict(sorted(kinds.items())),
    }


def text(study: Study, before: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The journal but for its times, and every arm's bounds and verdict. What was there before is there still."""
    events = study.events
    if events[: len(before)] != before:
        raise AssertionError("a journal has lost some of its events")
    untimed = [{name: value for name, value in event.items() if name != "time"} for event in events]
    rows = [
        f"{row.name} {row.pulls} {row.mean_lower.hex()} {row.mean_upper.hex()} {adapter.verdict(row.verdict)}"
        for row in study.table()
    ]
    return {"journal": [json.dumps(event, sort_keys=True) for event in untimed], "arms": rows}
