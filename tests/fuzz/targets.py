"""Everything that reads what others wrote, as functions of bytes, for Hypothesis and for atheris.

Whatever the bytes, they return. What is refused is refused with an error of ours (over HTTP a 4xx), in a short sentence.
"""

import asyncio
import json
import tempfile
from collections.abc import Callable

import numpy as np

from surefoot import Problem, Study
from surefoot.errors import BadJournal, SurefootError
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.problem.risks.expressions import parse
from surefoot.service import create_app
from surefoot.storage import connect
from surefoot.study.url_id import identity, name_of
from surefoot.work.log_files import PARQUET
from surefoot.work.logs import read_log
from tests.fuzz.seeds import REQUESTS

LONGEST_SENTENCE = 2_000  # characters


STORAGE = connect("memory://")
APP = create_app(STORAGE)


def refused(error: SurefootError) -> None:
    sentence = str(error)
    assert sentence.strip()
    assert len(sentence) <= LONGEST_SENTENCE, sentence[:200]


def problem_file(data: bytes) -> None:
    """A problem file; one that is taken is read back as it is written."""
    try:
        problem = Problem.loads(data.decode(errors="replace"))
        choice.program(problem)
    except SurefootError as error:
        refused(error)
    else:
        assert question_of(problem).arms == len(problem.arms)
        assert Problem.loads(problem.dumps()) == problem


def risk(data: bytes) -> None:
    """A risk expression; one that is taken says itself."""
    try:
        found = parse(data.decode(errors="replace"))
    except SurefootError as error:
        refused(error)
    else:
        assert parse(str(found)) == found


def log(data: bytes) -> None:
    """A log: text, or Parquet if it begins so."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            found = read_log(file.name)
        except SurefootError as error:
            refused(error)
            return
    assert len(found.arms) == len(found.rewards) > 0
    assert found.arms.min() >= 0
    assert found.arms.max() < len(found.names)
    assert np.isfinite(found.rewards).all()


def parquet(data: bytes) -> None:
    log(PARQUET + data)


def journal(data: bytes) -> None:
    """A journal, one event a line; one that is taken is a study that goes on."""
    try:
        events = [json.loads(line) for line in data.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        events = []
    if not all(isinstance(event, dict) for event in events):
        return
    try:
        study = Study.from_events(events)
        study.ask(3)
    except BadJournal as error:
        refused(error)
    else:
        assert study.events[: len(events)] == events
        assert study.table()
        assert study.decision.sentence


def address(data: bytes) -> None:
    """A study's id in a URL; one that is taken is that of its name."""
    text = data.decode(errors="replace")
    try:
        name = name_of(text)
    except SurefootError as error:
        refused(error)
    else:
        assert name_of(identity(name)) == name


def request(data: bytes) -> None:
    """An HTTP request: the first byte says which, the others are the body."""
    method, path, _ = REQUESTS[data[0] % len(REQUESTS) if data else 0]
    status, answer = asyncio.run(answered(method, path, data[1:]))
    assert status < 500, answer
    if status >= 400:
        assert 0 < len(json.loads(answer)["detail"]) <= LONGEST_SENTENCE


async def answered(method: str, path: str, body: bytes) -> tuple[int, bytes]:
    """What a service with one study in it answers."""
    for entry in STORAGE.studies():
        STORAGE.delete(entry.name)
    Study.open(STORAGE, "s", ["red", "blue"], risk="variance <= 0.04").ask(4)
    told: list[dict] = []

    async def receive() -> dict:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict) -> None:
        told.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": headers, "scheme": "http", "server": ("localhost", 80), "client": ("127.0.0.1", 1)}
    await APP(scope | {"http_version": "1.1", "root_path": ""}, receive, send)
    return told[0]["status"], b"".join(message.get("body", b"") for message in told[1:])


TARGETS: dict[str, Callable[[bytes], None]] = {
    function.__name__: function for function in (problem_file, risk, log, parquet, journal, address, request)
}
