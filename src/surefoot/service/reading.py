"""Bodies as strict JSON, and what is wrong with them as a sentence."""

import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from surefoot.errors import InvalidValue


class JsonRequest(Request):
    """A request whose JSON is what the standard says: no NaN, no Infinity, nothing nested without end."""

    async def json(self) -> Any:
        try:
            return read(await self.body())
        except InvalidValue as error:
            raise HTTPException(422, str(error)) from error


class JsonRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await handle(JsonRequest(request.scope, request.receive))

        return handler


def read(body: bytes) -> Any:
    """The value of a body.

    >>> read(b'{"reward": NaN}')
    Traceback (most recent call last):
    surefoot.errors.InvalidValue: a request's body must be JSON: NaN is no number there
    """
    try:
        return json.loads(body, parse_constant=no_number)
    except RecursionError as error:
        raise InvalidValue("a request's body must be JSON: it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise InvalidValue("a request's body must be JSON in UTF-8") from error
    except InvalidValue:
        raise
    except ValueError as error:
        raise InvalidValue(f"a request's body must be JSON: {error}") from error


def no_number(name: str) -> float:
    raise InvalidValue(f"a request's body must be JSON: {name} is no number there")


def sentence(error: RequestValidationError) -> str:
    """The first thing that is wrong with a request.

    >>> sentence(RequestValidationError([{"loc": ("body", "results", 3, "pull"), "msg": "Field required"}]))
    'results[3].pull: field required'
    """
    first = error.errors()[0]
    message = first["msg"][:1].lower() + first["msg"][1:]
    return f"{path(first['loc'])}: {message}"


def path(where: Sequence[str | int]) -> str:
    """Where in the request it is, as one would write it."""
    found = ""
    for part in where[1:] or ("the request's " + str(where[0]),):
        found += f"[{part}]" if isinstance(part, int) else f".{part}" if found else part
    return found
