"""Bodies as strict JSON, and what is wrong with them as a sentence."""

import difflib
import json
from collections.abc import Callable, Coroutine, Sequence
from math import inf
from typing import Any, get_args

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel

from surefoot.errors import InvalidValue

MOST_DIGITS = 20  # of a whole number up to 2^62, with its sign
SHOWN = 100  # characters of what came


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
    surefoot.errors.InvalidValue: a request's body must be JSON, which has no number NaN
    >>> read(b'{"pull": 1, "pull": 2}')
    Traceback (most recent call last):
    surefoot.errors.InvalidValue: a request's body must have each field once, got "pull" twice
    """
    try:
        text = body.decode("utf-8-sig")
        return json.loads(text, parse_constant=no_number, parse_int=whole_number, object_pairs_hook=each_once)
    except RecursionError as error:
        raise InvalidValue("a request's body must be JSON: it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise InvalidValue("a request's body must be JSON in UTF-8") from error
    except InvalidValue:
        raise
    except ValueError as error:
        raise InvalidValue(f"a request's body must be JSON: {error}") from error


def no_number(name: str) -> float:
    raise InvalidValue(f"a request's body must be JSON, which has no number {name}")


def whole_number(text: str) -> int | float:
    """A number without a point. Where whole ones are counted, none has so many digits; elsewhere it is a float."""
    return int(text) if len(text) <= MOST_DIGITS else float(text)


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise InvalidValue(f"a request's body must have each field once, got {json.dumps(twice)[:SHOWN]} twice")
    return found


# --- what is wrong with a value, by the name that pydantic has for it

WRONG = {
    "missing": "{path} is missing",
    "greater_than_equal": "{path} must be at least {ge}, got {got}",
    "less_than_equal": "{path} must be at most {le}, got {got}",
    "string_too_long": "{path} must have at most {max_length:,} characters, got {length:,}",
    "too_long": "{path} must have at most {max_length:,} entries, got {actual_length:,}",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "{path} must be a whole number, got {got}"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "{path} must be a finite number, got {got}"),
    "string_type": "{path} must be text in quotes, got {got}",
    "list_type": "{path} must be a list, got {got}",
    **dict.fromkeys(
        ("model_type", "model_attributes_type", "dict_type"), "{path} must be an object in braces, got {got}"
    ),
}


def sentence(error: RequestValidationError, body: type[BaseModel] | None = None) -> str:
    """One thing that is wrong with a request whose body should be such a one.

    >>> sentence(RequestValidationError([{"type": "missing", "loc": ("body", "results", 3, "pull"), "input": {}}]))
    'results[3].pull is missing'
    """
    first = min(
        error.errors(), key=lambda each: each["type"] != "extra_forbidden"
    )  # it may be what is missing, misspelt
    kind, where, value = first["type"], first["loc"], first["input"]
    if kind == "extra_forbidden":
        return unknown(where, fields_at(body, where))
    length = len(value) if isinstance(value, str) else 0
    if kind in WRONG:
        return WRONG[kind].format(path=path(where), got=shown(value), length=length, **first.get("ctx", {}))
    return f"{path(where)}: {first['msg']}"


def unknown(where: Sequence[str | int], known: list[str]) -> str:
    """A field that is none, and which one may be meant."""
    name = str(where[-1])
    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"the fields are {', '.join(known)}"
    return f"{path([*where[:-1], name[:SHOWN]])} is not a field here: {hint}"


def fields_at(model: Any, where: Sequence[str | int]) -> list[str]:
    """The fields of the model that is at the end of a path."""
    for part in where[1:-1]:
        if isinstance(part, str) and model is not None:
            model = model_in(fields_of(model)[part])
    return [] if model is None else [*fields_of(model)]


def fields_of(model: Any) -> dict[str, Any]:
    """The fields of a model, by name, and their types."""
    return {name: field.annotation for name, field in model.model_fields.items()}


def model_in(annotation: Any) -> Any:
    """The model that a type is, or is a list of, or may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := model_in(part))), None)


def shown(value: Any) -> str:
    """A value as the request had it, or the beginning of it."""
    if value in (inf, -inf):
        return "one that is too large"
    text = json.dumps(value, ensure_ascii=False, default=str).encode(errors="backslashreplace").decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def path(where: Sequence[str | int]) -> str:
    """Where in the request it is, as one would write it."""
    found = ""
    for part in where[1:] or ("the request's " + str(where[0]),):
        found += f"[{part}]" if isinstance(part, int) else f".{part}" if found else part
    return found
