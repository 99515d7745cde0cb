"""A served study, with the ask and tell of one that is here. Needs no package beside Surefoot's own.

A call whose answer was lost is made again where that is safe: a tell counts once, an ask carries a request id and has one
answer. Threads may share a study.
"""

import dataclasses
import json
import time
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import uuid4

from surefoot.client.link import Link
from surefoot.errors import BadJournal, Conflict, NoSuchStudy, StorageFailed, result
from surefoot.problem import Problem, arm_name
from surefoot.problem.fields import Fields
from surefoot.problem.reward_models import SubGaussian
from surefoot.storage import Event
from surefoot.study import AnyStudy, ArmReport, Decision, Failed, Pull, Results
from surefoot.study.views.notices import Notice
from surefoot.study.views.table import Table
from surefoot.work.results_csv import read_csv

IDLE = 0.25  # seconds before there may be pulls again
ALL = 10**9  # arms


class ServedStudy(AnyStudy):
    """Like `Study`, but elsewhere. What is read is as of the last call that asked for it or `refresh`."""

    def __init__(self, link: Link, identity: str, standing: dict[str, Any] | None = None) -> None:
        self._link, self._path = link, f"/api/studies/{identity}"
        self._standing = standing or {}
        self._decided = bool(standing and standing["decided"])
        self._pulls: int = standing["pulls"] if standing else 0

    # --- what a worker does

    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        body = {"count": count, "worker": worker, "request": uuid4().hex if request is None else request}
        answer = self._post("ask", body)
        self._decided = answer["decided"]
        if not answer["pulls"] and not self._decided:  # others have them all: whoever asks in a loop waits a little
            time.sleep(IDLE)
        return [Pull(pull["id"], pull["arm"]) for pull in answer["pulls"]]

    def tell_all(self, results: Iterable[tuple[Pull | int, float | Failed]]) -> None:
        self._tell("tell", [{"pull": number(pull), **told(result)} for pull, result in results])

    def record_all(self, rewards: Iterable[tuple[str, float]]) -> None:
        """Several results that were not asked for, taken all or none.

        If the answer is lost they may have been taken or not, and are not sent again.
        """
        results = [
            {"arm": arm_name(arm), "reward": result(f"a reward of arm {arm!r}", reward)} for arm, reward in rewards
        ]
        self._tell("record", results, again=False)

    def abandon(self, pull: Pull | int) -> None:
        self._post("abandon", {"pull": number(pull)}, done=Conflict)

    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        found: list[bool] = self._post("heartbeat", {"pulls": [number(pull) for pull in pulls]})["counts"]
        return found

    def close(self) -> None:
        self._decided = self._post("close", None)["decided"]

    def delete(self) -> None:
        """Forget the study for good."""
        self._link.call("DELETE", self._path, done=NoSuchStudy)

    def __iter__(self) -> Iterator[Pull]:
        while not self.decided:
            yield from self.ask()

    # --- what people read

    def refresh(self) -> int:
        before: int = self._standing.get("position", 0)
        self._standing = self._link.call("GET", f"{self._path}?arms={ALL}")
        self._decided, self._pulls = self._standing["decided"], self._standing["pulls"]
        return self.position - before

    @property
    def name(self) -> str:
        """What the study is called."""
        return str(self._now()["name"])

    @property
    def decided(self) -> bool:
        return self._decided

    @property
    def pulls(self) -> int:
        return self._pulls

    @property
    def position(self) -> int:
        return int(self._now()["position"])

    @property
    def problem(self) -> Problem:
        standing = self._now()
        fields = dict(standing["problem"])
        if "subgaussian" in fields:
            fields["rewards"] = SubGaussian(fields["subgaussian"])
        known: Any = {name: value for name, value in fields.items() if name in Fields.__annotations__}
        return Problem.of([row["name"] for row in standing["arms"]], **known)

    @property
    def decision(self) -> Decision:
        self.refresh()
        found = known_fields(Decision, self._standing["decision"])
        if found.get("recommended") is not None:
            found["recommended"] = tuple(found["recommended"])
        return Decision(**found, shown=self._shown)

    @property
    def warnings(self) -> list[Notice]:
        self.refresh()
        found = self._standing.get("warnings", [])  # a service may be older
        return [Notice(warning["kind"], warning["arm"], warning["sentence"]) for warning in found]

    @property
    def pulls_left(self) -> int | None:
        self.refresh()
        found: int | None = self._standing["pulls_left"]
        return found

    @property
    def aside(self) -> dict[str, str]:
        self.refresh()
        if not any(row["verdict"] == "excluded" for row in self._standing["arms"]):
            return {}
        names = self.problem.names
        return {names[event["arm"]]: event["why"] for event in self.history() if event["type"] == "set_aside"}

    def table(self, most: int | None = None) -> Table:
        self.refresh()
        standing = self._standing if most is None else self._link.call("GET", f"{self._path}?arms={most}")
        return Table(self.problem, [ArmReport(**known_fields(ArmReport, row)) for row in standing["arms"]])

    def results(self) -> Results:
        return read_csv(self._link.answer("GET", f"{self._path}/results.csv").decode())

    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        end = self._link.call("GET", f"{self._path}?arms=0")["position"]
        end = end if limit is None else min(end, since + limit)
        if since >= end:
            return
        with self._link.lines(f"{self._path}/events?since={since}") as lines:
            for message in messages(lines):
                if message.get("id") is None and message.get("event") in ENDS:
                    raise ENDS[message["event"]](json.loads(message["data"])["detail"])
                if message.get("id") is not None:
                    yield json.loads(message["data"])
                    if int(message["id"]) >= end:
                        return
        raise StorageFailed("the service stopped before it had sent the whole journal")

    def __repr__(self) -> str:
        return f"<ServedStudy {self._now()['name']!r} at {self._link.netloc}>"

    # --- calls

    def _now(self) -> dict[str, Any]:
        if not self._standing:
            self.refresh()
        return self._standing

    def _post(self, what: str, body: Any, **options: Any) -> Any:
        return self._link.call("POST", f"{self._path}/{what}", body, **options)

    def _tell(self, what: str, results: list[dict[str, Any]], **options: Any) -> None:
        answer = self._post(what, {"results": results}, **options)
        self._decided, self._pulls = answer["decided"], answer["pulls"]


ENDS = {"gone": NoSuchStudy, "damaged": BadJournal}  # of a journal that is followed


def messages(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Server-sent events, by the names of their fields."""
    message: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            message[name] = value
        else:
            yield message
            message = {}


def number(pull: Pull | int) -> int:
    return pull.id if isinstance(pull, Pull) else pull


def known_fields(kind: type[Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Of an answer, what a record has room for: a newer service may say more."""
    return {field.name: answer[field.name] for field in dataclasses.fields(kind) if field.name in answer}


def told(came: float | Failed) -> dict[str, Any]:
    return {"failed": came.checked()} if isinstance(came, Failed) else {"reward": result("a reward", came)}
