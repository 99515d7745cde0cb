"""A study's entry in the list of studies. No digest covers all of it: its types are looked at whenever it is read."""

from math import isfinite
from typing import Any

from surefoot.errors import BadJournal
from surefoot.storage.journal import Entry

LATEST = 2e11  # seconds since 1970, in the year 8307: beyond it a calendar ends, and nobody wrote that
SHOWN = 100  # characters of what stands in the place of a value

CHECKS = {
    "name": lambda value: isinstance(value, str),
    "created": lambda value: isinstance(value, float) and isfinite(value) and abs(value) <= LATEST,
    "changed": lambda value: isinstance(value, float) and isfinite(value) and abs(value) <= LATEST,
    "position": lambda value: isinstance(value, int) and value >= 1,
    "digest": lambda value: isinstance(value, bytes),
}


def fault(study: Any, **fields: Any) -> str:
    """What is wrong with an entry, in a sentence; empty if nothing is."""
    for name, value in fields.items():
        if not CHECKS[name](value):
            return f"the entry of the study {study!r} is damaged: its {name} is {value!r:.{SHOWN}}, which is not valid"
    return ""


def entry(name: Any, created: Any, changed: Any, position: Any, digest: Any) -> Entry:
    """The entry of a row; of a damaged one, what it is called and why it is none."""
    wrong = fault(name, name=name, created=created, changed=changed, position=position, digest=digest)
    if wrong:
        return Entry(name if isinstance(name, str) else repr(name)[:SHOWN], 0.0, 0.0, 0, wrong)
    return Entry(name, created, changed, position)


def check(study: str, position: Any, digest: Any) -> None:
    """Can this be the end of a journal?"""
    if wrong := fault(study, position=position, digest=digest):
        raise BadJournal(wrong)
