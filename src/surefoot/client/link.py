"""The way to a service: connections that are kept open for the next call, and made again when one is lost."""

import http.client
import json
import random
import ssl
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from surefoot.errors import (
    Conflict,
    InvalidValue,
    NoSuchStudy,
    NotAllowed,
    StorageFailed,
    SurefootError,
    own_number,
    result,
)

TIMEOUT = 60.0  # seconds for one answer
ERRORS = {401: NotAllowed, 403: NotAllowed, 404: NoSuchStudy, 409: Conflict, 413: InvalidValue, 422: InvalidValue}


class Link:
    """Threads may share it. Its connections are closed when nobody has it any more, or the program ends."""

    def __init__(self, scheme: str, netloc: str, base: str, token: str | None, patience: float) -> None:
        self.scheme, self.netloc, self.base, self.patience = scheme, netloc, base, patience
        self.headers = {"Content-Type": "application/json", "Accept": "*/*"}
        if token is not None:
            if not token.isascii() or not token.isprintable():
                raise InvalidValue("a token must be printable ASCII text")
            self.headers["Authorization"] = f"Bearer {token}"
        self.idle: list[http.client.HTTPConnection] = []
        weakref.finalize(self, close_all, self.idle)

    def call(
        self, method: str, path: str, body: Any = None, again: bool = True, done: type[SurefootError] | None = None
    ) -> Any:
        """The answer, read as JSON."""
        return decoded(self.answer(method, path, body, again, done))

    def answer(
        self, method: str, path: str, body: Any = None, again: bool = True, done: type[SurefootError] | None = None
    ) -> bytes:
        """The answer. If it is lost, the request is made again where that is safe (`again`); the error `done` then means
        that the first request was carried out.
        """
        data = b"" if body is None else encoded(body)
        until, pause, lost = time.monotonic() + self.patience, 0.05, False
        while True:
            try:
                status, text = self.exchange(method, path, data, fresh=not again)
            except ConnectionRefusedError as error:  # nothing was sent
                failure: Exception = error
            except (OSError, http.client.HTTPException) as error:
                if not again:
                    raise StorageFailed(
                        f"{self.netloc} did not answer ({words(error)}); it may have done what it was asked to"
                    ) from error
                failure, lost = error, True
            else:
                if status < 300:
                    return text
                error_type = ERRORS.get(status)
                if lost and done is not None and error_type is done:
                    return b""
                failure = refused(status, text)
                if status != 503:
                    raise failure
            if time.monotonic() + pause > until:
                raise StorageFailed(f"{self.netloc} could not be used: {words(failure)}") from failure
            time.sleep(pause * random.uniform(0.5, 1.0))  # so that those who wait do not come all at once
            pause = min(2.0 * pause, 5.0)

    def exchange(self, method: str, path: str, data: bytes, fresh: bool) -> tuple[int, bytes]:
        """One request on a connection of its own, which is kept for the next one if all went well.

        A `fresh` one cannot have been closed by the service meanwhile.
        """
        connection = None if fresh else self.kept()
        connection = connection or self.connection()
        try:
            connection.request(method, self.base + path, data, self.headers)
            response = connection.getresponse()
            answer = response.status, response.read()
        except BaseException:
            connection.close()
            while other := self.kept():  # the service may have gone away, and none of them be of use
                other.close()
            raise
        self.idle.append(connection)
        return answer

    @contextmanager
    def lines(self, path: str) -> Iterator[Iterator[str]]:
        """The lines of an answer that may have no end."""
        connection = self.connection()
        try:
            connection.request("GET", self.base + path, headers=self.headers)
            response = connection.getresponse()
            if response.status >= 300:
                raise refused(response.status, response.read())
            yield (line.decode().rstrip("\n") for line in response)
        except (OSError, http.client.HTTPException) as error:
            raise StorageFailed(f"{self.netloc} could not be used: {words(error)}") from error
        finally:
            connection.close()

    def kept(self) -> http.client.HTTPConnection | None:
        with suppress(IndexError):
            return self.idle.pop()
        return None

    def connection(self) -> http.client.HTTPConnection:
        if self.scheme == "https":
            return http.client.HTTPSConnection(self.netloc, timeout=TIMEOUT, context=ssl.create_default_context())
        return http.client.HTTPConnection(self.netloc, timeout=TIMEOUT)


def close_all(connections: list[http.client.HTTPConnection]) -> None:
    for connection in connections:
        connection.close()


def refused(status: int, text: bytes) -> SurefootError:
    """What a service says when it does not do what it was asked to."""
    answer = decoded(text)
    reason = answer.get("detail") if isinstance(answer, dict) else None
    kind = StorageFailed if status == 503 else ERRORS.get(status, SurefootError)
    return kind(str(reason or f"the service answered with HTTP status {status}, and gave no reason"))


def decoded(text: bytes) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def encoded(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False, default=as_json).encode()
    except InvalidValue:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"what is sent must be names and finite numbers: {error}") from error


def as_json(value: Any) -> bool | int | float:
    """A number of another library as JSON says it."""
    plain = own_number(value)
    return plain if isinstance(plain, int | float) else result("what is sent", plain)


def words(error: Exception) -> str:
    return str(error) or type(error).__name__
