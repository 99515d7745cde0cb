"""Every error Surefoot raises on purpose, and the checks whose messages say what was expected and what came."""

import os
from collections.abc import Iterable
from numbers import Real
from typing import Any

LONGEST_SENTENCE = 1_000  # characters


class SurefootError(Exception):
    """The base of them all: its message is a sentence for the user, cut where it quotes too much of what came."""

    def __init__(self, message: str = "") -> None:
        if len(message) > LONGEST_SENTENCE:
            message = f"{message[: LONGEST_SENTENCE - 200]} … {message[-150:]}"
        super().__init__(message)


class InvalidValue(SurefootError, ValueError):
    """An argument, a field of a file or a reward that cannot be what it is."""


class Unsupported(SurefootError):
    """A combination that makes no sense, or that nothing here can guarantee; the message names what would work."""


class Conflict(SurefootError):
    """Two statements that cannot both hold, such as one pull told twice with different rewards."""


class BadJournal(SurefootError):
    """A journal that cannot be what happened; the message says which event."""


class BadTables(BadJournal):
    """A database whose tables are damaged, or of a newer Surefoot: none of its journals can be read."""


class NoSuchStudy(SurefootError, LookupError):
    """A study that the storage does not have, or has no longer."""


class NotAllowed(SurefootError):
    """A service that asks for a token, or for one that may do more."""


class StorageFailed(SurefootError):
    """A storage that cannot be reached, read or written; nothing that was acknowledged is lost, and one may try again."""


class MeasureFailed(SurefootError):
    """A callable raised, or returned something that is no reward; `study` holds all that was told before."""

    def __init__(self, message: str, study: Any) -> None:
        super().__init__(message)
        self.study = study


class Interrupted(SurefootError):
    """Ctrl-C during a long piece of work; `finished` holds what was done by then."""

    def __init__(self, message: str, finished: Any) -> None:
        super().__init__(message)
        self.finished = finished


class ClusterLost(Interrupted):
    """The cluster that was doing a long piece of work is gone; `finished` holds what was done by then."""


LARGEST = 1e100  # whose square and inverse square are floats too


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> float:
    """`value` as a finite float inside the given limits.

    >>> number("delta", 1.5, above=0, below=1)
    Traceback (most recent call last):
    surefoot.errors.InvalidValue: delta must be in (0, 1), got 1.5
    """
    inside = isinstance(value, Real) and not isinstance(value, bool) and abs(value) <= LARGEST  # type: ignore[operator]
    inside = inside and (above is None or value > above) and (at_least is None or value >= at_least)
    inside = inside and (below is None or value < below) and (at_most is None or value <= at_most)
    if not inside:
        raise InvalidValue(f"{name} must be {wanted(above, at_least, below, at_most)}, got {value!r}")
    return float(value)


def wanted(above: float | None, at_least: float | None, below: float | None, at_most: float | None) -> str:
    """The limits in words."""
    low = above if above is not None else at_least
    high = below if below is not None else at_most
    if low is not None and high is not None:
        return f"in {'(' if above is not None else '['}{low:g}, {high:g}{')' if below is not None else ']'}"
    if low is not None:
        return f"a number {'above' if above is not None else 'of at least'} {low:g}"
    if high is not None:
        return f"a number {'below' if below is not None else 'of at most'} {high:g}"
    return "a finite number"


def whole(name: str, value: Any, *, at_least: int) -> int:
    """`value` as an integer that is neither too small nor too large to count with."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < at_least:
        raise InvalidValue(f"{name} must be a whole number of at least {at_least}, got {value!r}")
    if value > 2**62:
        raise InvalidValue(f"{name} must be a whole number of at most 2^62, got one of {len(str(value))} digits")
    return int(value)


LONGEST = 200  # characters of a name


def label(name: str, value: Any) -> str:
    """`value` as text that can stand in a list, a log or a page."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > LONGEST:
        got = repr(value) if not isinstance(value, str) or len(value) <= LONGEST else f"{len(value)} characters"
        raise InvalidValue(f"{name} must be printable text on one line of at most {LONGEST} characters, got {got}")
    return value


def encoded(name: str, path: str) -> str:
    """`path` if it is text, which a name in some old encoding is not: it could not be kept, nor printed for a shell."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(f"{name} must be a file whose name is in UTF-8, got {os.fsencode(path)!r}") from error
    return path


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """`value` if it is one of the names."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise InvalidValue(f"{name} must be one of {', '.join(known)}, got {value!r}")
    return value
