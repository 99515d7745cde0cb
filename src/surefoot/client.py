"""A served study, with the ask and tell of one that is here. Needs the standard library only.

A call whose answer was lost is made again where that is safe: a tell counts once, an ask carries a request id and has one
answer. Threads may share a study; each has a connection of its own.
"""

import dataclasses
import http.client
import json
import random
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from surefoot.errors import (
    Conflict,
    InvalidValue,
    NoSuchStudy,
    NotAllowed,
    StorageFailed,
    SurefootError,
    label,
    own_number,
    result,
)
from surefoot.problem import Problem, arm_name
from surefoot.problem.models import Bounded, Gaussian, SubGaussian
from surefoot.study import ArmReport, Decision, Failed, Pull
from surefoot.study.address import identity
from surefoot.study.notices import Notice
from surefoot.study.report import Table

TIMEOUT = 60.0  # seconds for one answer
IDLE = 0.25  # seconds before there may be pulls again
ALL = 10**9  # arms
ERRORS = {401: NotAllowed, 403: NotAllowed, 404: NoSuchStudy, 409: Conflict, 413: InvalidValue, 422: InvalidValue}


def connect(
    url: str,
    token: str | None = None,
    name: str | None = None,
    arms: Iterable[str] | None = None,
    *,
    patience: float = 60.0,
    **fields: Any,
) -> "ServedStudy":
    """A served study, by its page's address, or by the service's address and its name; created first, if arms are given.

    A service that cannot be reached is tried again for `patience` seconds, at growing intervals. Further fields are those
    of a study (risk, rewards, delta, lease, …).
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidValue(f"the address of a service must be http://… or https://…, got {url!r}")
    base, found, ending = parts.path.rstrip("/").removesuffix("/api").partition("/studies/")
    base = base.removesuffix("/api").rstrip("/")
    if bool(found) == (name is not None):
        raise InvalidValue(f"give the address of a study, or that of a service with the study's name, got {url!r}")
    link = Link(parts.scheme, parts.netloc, base, token, patience)
    if arms is None:
        if fields:
            raise InvalidValue(
                f"a study is created by its arms and opened by its name alone, got {sorted(fields)[0]} too"
            )
        study = ServedStudy(link, ending if name is None else identity(label("the name of a study", name)))
        study.refresh()
        return study
    if name is None:
        raise InvalidValue("a study that is to be created must have a name, got none")
    standing = link.call(
        "POST", "/api/studies", {"name": name, "arms": [arm_name(arm) for arm in arms], **plain(fields)}
    )
    return ServedStudy(link, standing["id"], standing)


class ServedStudy:
    """Like `Study`, but elsewhere. What is read is as of the last call that asked for it or `refresh`."""

    def __init__(self, link: "Link", identity: str, standing: dict[str, Any] | None = None) -> None:
        self._link, self._path = link, f"/api/studies/{identity}"
        self._standing = standing or {}
        self.decided = bool(standing and standing["decided"])
        self.pulls: int = standing["pulls"] if standing else 0

    # --- what a worker does

    def ask(self, count: int | None = None, *, worker: str | None = None, request: str | None = None) -> list[Pull]:
        """The pulls of the next step; or `count` pulls for parallel workers. None once the study is decided or spent."""
        body = {"count": count, "worker": worker, "request": uuid4().hex if request is None else request}
        answer = self._post("ask", body)
        self.decided = answer["decided"]
        if not answer["pulls"] and not self.decided:  # others have them all: whoever asks in a loop waits a little
            time.sleep(IDLE)
        return [Pull(pull["id"], pull["arm"]) for pull in answer["pulls"]]

    def tell(self, pull: Pull | int, reward: float) -> None:
        """The reward of a pull. The same pull may be told again with the same reward."""
        self.tell_all([(pull, reward)])

    def tell_all(self, results: Iterable[tuple[Pull | int, float | Failed]]) -> None:
        """Several results, taken all or none."""
        self._tell("tell", [{"pull": number(pull), **told(result)} for pull, result in results])

    def fail(self, pull: Pull | int, why: str) -> None:
        """Say that a pull brought no result: it counts as the problem's `failure`, or a fresh pull takes its place."""
        self.tell_all([(pull, Failed(why))])

    def record(self, arm: str, reward: float) -> None:
        """A reward that was not asked for. If the answer is lost it may have been taken or not, and is not sent again."""
        self.record_all([(arm, reward)])

    def record_all(self, rewards: Iterable[tuple[str, float]]) -> None:
        """Several rewards that were not asked for, taken all or none."""
        results = [
            {"arm": arm_name(arm), "reward": result(f"a reward of arm {arm!r}", reward)} for arm, reward in rewards
        ]
        self._tell("record", results, again=False)

    def abandon(self, pull: Pull | int) -> None:
        """Give a pull up: its reward will not come."""
        self._post("abandon", {"pull": number(pull)}, done=Conflict)

    def heartbeat(self, pull: Pull | int) -> bool:
        """Word that a pull is still being made, which begins its lease anew; whether its reward would still count."""
        return self.heartbeat_all([pull])[0]

    def heartbeat_all(self, pulls: Iterable[Pull | int]) -> list[bool]:
        """Word of several pulls."""
        found: list[bool] = self._post("heartbeat", {"pulls": [number(pull) for pull in pulls]})["counts"]
        return found

    def close(self) -> None:
        """No more pulls; if nothing is decided by now, the decision is that it is undecided."""
        self.decided = self._post("close", None)["decided"]

    def delete(self) -> None:
        """Forget the study for good."""
        self._link.call("DELETE", self._path, done=NoSuchStudy)

    def __iter__(self) -> Iterator[Pull]:
        """Every pull to make, one at a time, until the study is decided."""
        while not self.decided:
            yield from self.ask()

    # --- what people read

    def refresh(self) -> None:
        """See how the study stands now."""
        self._standing = self._link.call("GET", f"{self._path}?arms={ALL}")
        self.decided, self.pulls = self._standing["decided"], self._standing["pulls"]

    @property
    def name(self) -> str:
        return str(self._now()["name"])

    @property
    def problem(self) -> Problem:
        """The problem, as `Study` has it."""
        standing = self._now()
        fields = {name: value for name, value in standing["problem"].items() if name not in OF_THE_STUDY}
        if "subgaussian" in fields:
            fields["rewards"] = SubGaussian(fields.pop("subgaussian"))
        return Problem.of([row["name"] for row in standing["arms"]], **fields)

    @property
    def decision(self) -> Decision:
        """The decision, or how things stand; prints as a sentence."""
        self.refresh()
        found = known_fields(Decision, self._standing["decision"])
        if found.get("recommended") is not None:
            found["recommended"] = tuple(found["recommended"])
        return Decision(**found)

    @property
    def warnings(self) -> list[Notice]:
        """What speaks against an assumption of the guarantee, such as a drift; each prints as a sentence."""
        self.refresh()
        found = self._standing.get("warnings", [])  # a service may be older
        return [Notice(warning["kind"], warning["arm"], warning["sentence"]) for warning in found]

    def table(self) -> Table:
        """One row per arm, with bounds and verdict."""
        self.refresh()
        return Table(self.problem, [ArmReport(**known_fields(ArmReport, row)) for row in self._standing["arms"]])

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
        self.decided, self.pulls = answer["decided"], answer["pulls"]


OF_THE_STUDY = ("policy", "bounds", "seed", "lease")


class Link:
    """The way to a service: a connection for each thread, kept open."""

    def __init__(self, scheme: str, netloc: str, base: str, token: str | None, patience: float) -> None:
        self.scheme, self.netloc, self.base, self.patience = scheme, netloc, base, patience
        self.headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token is not None:
            if not token.isascii() or not token.isprintable():
                raise InvalidValue("a token must be printable ASCII text")
            self.headers["Authorization"] = f"Bearer {token}"
        self.local = threading.local()

    def call(
        self, method: str, path: str, body: Any = None, again: bool = True, done: type[SurefootError] | None = None
    ) -> Any:
        """The answer. Tried again when it was lost, if that is safe (`again`); then the error `done` means that the lost
        one had been heard.
        """
        data = b"" if body is None else encoded(body)
        until, pause, lost = time.monotonic() + self.patience, 0.05, False
        if not again:  # on a connection that cannot have been closed meanwhile
            self.drop()
        while True:
            try:
                status, answer = self.exchange(method, path, data)
            except ConnectionRefusedError as error:  # nothing was sent
                failure: Exception = error
            except (OSError, http.client.HTTPException) as error:
                if not again:
                    raise StorageFailed(f"{self.netloc} did not answer, and may have heard: {words(error)}") from error
                failure, lost = error, True
            else:
                if status < 300:
                    return answer
                error_type = ERRORS.get(status)
                if lost and done is not None and error_type is done:
                    return None
                sentence = detail(status, answer)
                if status != 503:
                    raise (error_type or SurefootError)(sentence)
                failure = StorageFailed(sentence)
            if time.monotonic() + pause > until:
                raise StorageFailed(f"{self.netloc} could not be used: {words(failure)}") from failure
            time.sleep(pause * random.uniform(0.5, 1.0))  # so that those who wait do not come all at once
            pause = min(2.0 * pause, 5.0)

    def exchange(self, method: str, path: str, data: bytes) -> tuple[int, Any]:
        """One request on this thread's connection, which is let go if anything goes wrong."""
        connection = self.connection()
        try:
            connection.request(method, self.base + path, data, self.headers)
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            self.drop()
            raise
        try:
            return response.status, json.loads(text) if text else None
        except ValueError:
            return response.status, None

    def connection(self) -> http.client.HTTPConnection:
        found: http.client.HTTPConnection | None = getattr(self.local, "connection", None)
        if found is not None:
            return found
        if self.scheme == "https":
            context = ssl.create_default_context()
            found = http.client.HTTPSConnection(self.netloc, timeout=TIMEOUT, context=context)
        else:
            found = http.client.HTTPConnection(self.netloc, timeout=TIMEOUT)
        self.local.connection = found
        return found

    def drop(self) -> None:
        if found := getattr(self.local, "connection", None):
            found.close()
        self.local.connection = None


def number(pull: Pull | int) -> int:
    return pull.id if isinstance(pull, Pull) else pull


def known_fields(kind: type[Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Of an answer, what a record has room for: a newer service may say more."""
    return {field.name: answer[field.name] for field in dataclasses.fields(kind) if field.name in answer}


def told(came: float | Failed) -> dict[str, Any]:
    return {"failed": came.checked()} if isinstance(came, Failed) else {"reward": result("a reward", came)}


def encoded(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False, default=as_json).encode()
    except InvalidValue:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"what is sent must be names and finite numbers: {error}") from error


def as_json(value: Any) -> bool | int | float:
    """A number of another library as JSON says it."""
    found = own_number(value)
    return found if isinstance(found, int | float) else result("what is sent", found)


def detail(status: int, answer: Any) -> str:
    found = answer.get("detail") if isinstance(answer, dict) else None
    return str(found or f"the service answered {status}")


def words(error: Exception) -> str:
    return str(error) or type(error).__name__


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """A study's fields as JSON says them."""
    found = dict(fields)
    if "risk" in found:
        found["risk"] = str(found["risk"])
    match found.get("rewards"):
        case SubGaussian(sigma):
            del found["rewards"]
            found["subgaussian"] = sigma
        case Bounded(low, high):
            found["rewards"] = [low, high]
        case Gaussian():
            found["rewards"] = "gaussian"
        case tuple() as ends:
            found["rewards"] = list(ends)
    return found
