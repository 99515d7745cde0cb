"""Every error Surefoot raises on purpose, and the checks whose messages say what was expected and what came."""

import math
import os
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import islice
from numbers import Integral, Real
from typing import Any

LONGEST_SENTENCE = 1_000  # characters


class SurefootError(Exception):
    """The base class of all errors. The message is a sentence for the user; a very long quotation in it is shortened."""

    def __init__(self, message: str = "") -> None:
        if len(message) > LONGEST_SENTENCE:
            message = f"{message[: LONGEST_SENTENCE - 200]} … {message[-150:]}"
        super().__init__(message)


class InvalidValue(SurefootError, ValueError):
    """An argument, a field of a file or a result is not valid. The message says what was expected and what came."""


class Unsupported(SurefootError):
    """A combination makes no sense, or has no guarantee. The message says what would work."""


class PartFailed(SurefootError):
    """A bound, policy or risk of your own raised an exception or made an impossible choice. The study is unchanged."""


class Conflict(SurefootError):
    """A call contradicts an earlier one: for example, it tells another result of the same pull."""


class BadJournal(SurefootError):
    """A journal is damaged or not valid. The message says which event is wrong."""


class BadTables(BadJournal):
    """The tables of a database are damaged, or a newer Surefoot wrote them: none of its journals can be read."""


class NoSuchStudy(SurefootError, LookupError):
    """The storage does not have this study, or it was deleted."""


class NotAllowed(SurefootError):
    """The service refuses the token, or needs one that may do more."""


class StorageFailed(SurefootError):
    """A storage cannot be reached, read or written. Nothing that was acknowledged is lost, and you may try again."""


class MeasureFailed(SurefootError):
    """No arm could be measured: every call failed or returned no valid result. `study` has all that was told before."""

    def __init__(self, message: str, study: Any) -> None:
        super().__init__(message)
        self.study = study


class Interrupted(SurefootError):
    """Ctrl-C interrupted a long piece of work. `finished` has what was done by then.

    If it was `find_best`, `study` has all that was told before; otherwise it is None.
    """

    def __init__(self, message: str, finished: Any, study: Any = None) -> None:
        super().__init__(message)
        self.finished, self.study = finished, study


class ClusterLost(Interrupted):
    """The Dask cluster was lost during a long piece of work. `finished` has what was done by then."""


class Caution(UserWarning):
    """A warning: something is allowed, but probably not what you meant."""


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
    converted = as_float(value)
    inside = abs(converted) <= LARGEST  # not so for NaN
    inside = inside and (above is None or converted > above) and (at_least is None or converted >= at_least)
    inside = inside and (below is None or converted < below) and (at_most is None or converted <= at_most)
    if not inside:
        what = wanted(above, at_least, below, at_most)
        if what.startswith("in ") and not is_number(value):
            what = f"a number {what}"
        raise InvalidValue(f"{name} must be {what}, got {shown(value)}")
    return converted


def result(name: str, value: Any, *, at_least: float | None = None, at_most: float | None = None) -> float:
    """What a pull returned, as a finite float inside the limits: true counts as 1, and false as 0.

    >>> result("a reward of arm 'A'", None)
    Traceback (most recent call last):
    surefoot.errors.InvalidValue: a reward of arm 'A' is missing (None)
    """
    if what := missing(value):
        raise InvalidValue(f"{name} is missing ({what})")
    value = own_number(value)
    return number(name, int(value) if isinstance(value, bool) else value, at_least=at_least, at_most=at_most)


def no_result(value: Any) -> str:
    """Why what came cannot be the result of a pull, whatever its range; nothing if it is a number.

    >>> no_result(None), no_result("fast"), no_result(-5)
    ('is missing (None)', "must be a number, got 'fast'", '')
    """
    if isinstance(value, Mapping):
        return next((f"has a {name} that {why}" for name, one in value.items() if (why := no_result(one))), "")
    if what := missing(value):
        return f"is missing ({what})"
    return "" if isinstance(own_number(value), Real | Decimal) else f"must be a number, got {shown(value)}"


NOT_THERE = {"NAType": "pandas.NA", "NaTType": "pandas.NaT", "MaskedConstant": "numpy.ma.masked"}


def missing(value: Any) -> str:
    """What stands for a value that is not there; nothing if there is one. By names: no library is imported for it."""
    if what := NOT_THERE.get(type(value).__name__):
        return what
    value = own_number(value)
    if isinstance(value, Decimal):
        return "NaN" if value.is_nan() else ""
    if isinstance(value, Real):
        return "NaN" if value != value else ""
    return "None" if value is None else "NaT" if isinstance(value, str) and value == "NaT" else ""


def own_number(value: Any) -> Any:
    """Python's own number in the place of a NumPy scalar, or of an array without axes; all else as it is."""
    if getattr(value, "ndim", None) != 0 or not hasattr(value, "item"):
        return value
    if getattr(value, "mask", False):
        return None
    is_time = getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M")  # `item` counts nanoseconds
    return str(value) if is_time else value.item()


def is_number(value: Any) -> bool:
    """Is it a real number? True and false are none, and text is none whatever it says."""
    value = own_number(value)
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def as_float(value: Any) -> float:
    """A real number as a float; NaN if it is none, or too large to be one."""
    value = own_number(value)
    if not is_number(value):
        return math.nan
    try:
        return float(value)
    except (OverflowError, ValueError):  # an integer of many digits; a NaN of Decimal that signals
        return math.nan


def parsed_number(text: str) -> float:
    """The number that text means; ValueError if it is none. Python takes more for a number than people do.

    >>> float("1_0"), float("٣")
    (10.0, 3.0)
    >>> parsed_number("1_0")
    Traceback (most recent call last):
    ValueError: could not convert to a number: '1_0'
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"could not convert to a number: {text!r}")
    return float(text)


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    try:
        return repr(own_number(value))
    except ValueError:  # an integer too long to be written
        return "a number of too many digits"


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
    converted = own_number(value)
    if isinstance(converted, bool) or not isinstance(converted, Integral) or int(converted) < at_least:
        raise InvalidValue(f"{name} must be a whole number of at least {at_least}, got {shown(value)}")
    if int(converted) > 2**62:
        raise InvalidValue(f"{name} must be a whole number of at most 2^62, got {shown(value)}")
    return int(converted)


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
        raise InvalidValue(f"{name} must be one of {', '.join(known)}, got {value!r}{nearest(value, known)}")
    return value


def nearest(value: Any, choices: Iterable[str]) -> str:
    """The end of a sentence: the choice that was probably meant, if one is close to what came.

    >>> nearest("--timout", ["--workers", "--timeout"])
    '; did you mean --timeout?'
    """
    from difflib import get_close_matches

    matches = get_close_matches(value[:100], islice(choices, 1_000), 1) if isinstance(value, str) else ()
    return "".join(f"; did you mean {choice}?" for choice in matches)
