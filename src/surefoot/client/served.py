"""A served study, with the ask and tell of one that is here. Needs no package beside Surefoot's own.

A call whose answer was lost is made again where that is safe: a tell counts once, an ask carries a request id and has one
answer. Threads may share a study.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

from surefoot.client import answers
from surefoot.client.link import Link
from surefoot.errors import BadJournal, Conflict, NoSuchStudy, StorageFailed, result, whole
from surefoot.problem import Problem, arm_name
from surefoot.problem.metrics import Result
from surefoot.storage import Event
from surefoot.study import AnyStudy, Failed, Pull
from surefoot.study.any_study import Recorded
from surefoot.study.results import Results
from surefoot.study.views.decision import Decision
from surefoot.study.views.notices import Notice
from surefoot.study.views.recommendation import Recommendation
from surefoot.study.views.study_view import StudyView
from surefoot.study.views.table import Table
from surefoot.work.results_csv import read_csv

IDLE = 0.25  # seconds before there may be pulls again
ALL = 10**9  # arms


class ServedStudy(AnyStudy):
    """A study that a service keeps, with the methods of `Study`."""

    def __init__(self, link: Link, identity: str, answer: dict[str, Any] | None = None) -> None:
        self._link, self._path = link, f"/api/studies/{identity}"
        self._answer = answer or {}  # the last one that shows the study
        self._decided = bool(answer and answer["decided"])
        self._pulls: int = answer["pulls"] if answer else 0

    # --- what a worker does

    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        return self._asked("ask", {}, count, worker, request)

    def tell_all(self, results: Iterable[tuple[Pull | int, Result | Failed]]) -> None:
        self._progress("tell", {"results": told_pulls(results)})

    def exchange(
        self,
        results: Iterable[tuple[Pull | int, Result | Failed]],
        count: int | None = None,
        *,
        worker: str | None = None,
        request: str | None = None,
    ) -> list[Pull]:
        return self._asked("exchange", {"results": told_pulls(results)}, count, worker, request)

    def record_all(self, results: Iterable[Recorded]) -> None:
        """Add several results that were not asked for: all are taken, or none.

        If the answer is lost, nobody knows which, and they are not sent again.
        """
        rows = [
            {"arm": arm_name(arm), **told(result, f"a result of arm {arm!r}"), **({"item": item[0]} if item else {})}
            for arm, result, *item in results
        ]
        self._progress("record", {"results": rows}, again=False)

    def abandon(self, pull: Pull | int) -> None:
        self._post("abandon", {"pull": number(pull)}, done=Conflict)

    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        counts: list[bool] = self._post("heartbeat", {"pulls": [number(pull) for pull in pulls]})["counts"]
        return counts

    def set_aside(self, arm: str, why: str) -> None:
        self._progress("exclude", {"arm": arm_name(arm), "why": why})

    def close(self) -> None:
        self._progress("close", None)

    def delete(self) -> None:
        """Delete the study and all its results. This cannot be undone."""
        self._link.call("DELETE", self._path, done=NoSuchStudy)

    def __iter__(self) -> Iterator[Pull]:
        while not self.decided:
            yield from self.ask()

    # --- what people read

    def refresh(self) -> int:
        before: int = self._answer.get("position", 0)
        self._answer = self._shown_with(ALL)
        self._decided, self._pulls = self._answer["decided"], self._answer["pulls"]
        return self.position - before

    @property
    def name(self) -> str:
        """What the study is called."""
        return str(self._last()["name"])

    @property
    def decided(self) -> bool:
        return self._decided

    @property
    def pulls(self) -> int:
        return self._pulls

    @property
    def position(self) -> int:
        return int(self._last()["position"])

    @property
    def problem(self) -> Problem:
        return answers.problem_in(self._last())

    @property
    def decision(self) -> Decision:
        return answers.decision_in(self._now()).of(self)

    @property
    def recommendation(self) -> Recommendation:
        return answers.recommendation_in(self._now())

    @property
    def warnings(self) -> list[Notice]:
        return answers.warnings_in(self._now())

    @property
    def contest(self) -> tuple[str | None, str | None]:
        return answers.contest_in(self._now())

    @property
    def spent(self) -> int:
        return int(answers.said(self._now(), "spent"))

    @property
    def pending(self) -> list[Pull]:
        return answers.pulls_in(self._link.call("GET", f"{self._path}/pulls"))

    def worker_of(self, pull: Pull | int) -> str | None:
        worker: str | None = self._link.call("GET", f"{self._path}/pulls/{whole('pull', number(pull), at_least=1)}")[
            "worker"
        ]
        return worker

    @property
    def pulls_left(self) -> int | None:
        left: int | None = self._now()["pulls_left"]
        return left

    @property
    def aside(self) -> dict[str, str]:
        if not any(row["verdict"] == "excluded" for row in self._now()["arms"]):
            return {}
        names = self.problem.names
        return {names[event["arm"]]: event["why"] for event in self.history() if event["type"] == "set_aside"}

    def standing(self, arms: int | None = None) -> StudyView:
        created = next(self.history(limit=1))
        return answers.view_in(self._some(arms), self.problem, created)

    def table(self, most: int | None = None) -> Table:
        return answers.table_in(self._some(most), self.problem)

    def results(self) -> Results:
        return read_csv(self.problem, self._link.answer("GET", f"{self._path}/results.csv").decode())

    def history(self, since: int = 0, limit: int | None = None) -> Iterator[Event]:
        end = self._shown_with(0)["position"]
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
        return f"<ServedStudy {self.name!r} at {self._link.netloc}>"

    # --- calls

    def _shown_with(self, arms: int) -> dict[str, Any]:
        """How the study stands, with rows for so many arms."""
        answer: dict[str, Any] = self._link.call("GET", f"{self._path}?arms={arms}")
        return answer

    def _now(self) -> dict[str, Any]:
        self.refresh()
        return self._answer

    def _last(self) -> dict[str, Any]:
        return self._answer or self._now()

    def _some(self, arms: int | None) -> dict[str, Any]:
        """With rows for so many arms, or for all."""
        return self._now() if arms is None else self._shown_with(whole("arms", arms, at_least=0))

    def _post(self, what: str, body: Any, **options: Any) -> Any:
        return self._link.call("POST", f"{self._path}/{what}", body, **options)

    def _asked(
        self, what: str, told: dict[str, Any], count: int | None, worker: str | None, request: str | None
    ) -> list[Pull]:
        request = uuid4().hex if request is None else request
        answer = self._post(what, {**told, "count": count, "worker": worker, "request": request})
        self._decided = answer["decided"]
        self._pulls = answer.get("counted", self._pulls)
        if not answer["pulls"] and not self._decided:  # others have them all: whoever asks in a loop waits a little
            time.sleep(IDLE)
        return answers.pulls_in(answer)

    def _progress(self, what: str, body: Any, **options: Any) -> None:
        answer = self._post(what, body, **options)
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


def told_pulls(results: Iterable[tuple[Pull | int, Result | Failed]]) -> list[dict[str, Any]]:
    return [{"pull": number(pull), **told(result)} for pull, result in results]


def told(came: Result | Failed, called: str = "a result") -> dict[str, Any]:
    """A result as HTTP has it."""
    if isinstance(came, Failed):
        return {"failed": came.checked()}
    if isinstance(came, Mapping):
        return {"values": {name: result(name, value) for name, value in came.items()}}
    return {"reward": result(called, came)}
