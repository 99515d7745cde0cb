"""The result of a pull as events of a journal have it: `reward` in those of version 1, `values` in those of version 2."""

from typing import Any

from surefoot.problem.metrics import Values
from surefoot.storage import Event

SHORT, LONG = 1, 2  # versions of the events: of one metric called reward, of any metrics


def written(values: Values, version: int) -> Event:
    """A result, as an event has it."""
    return {"reward": values[0]} if version == SHORT else {"values": list(values)}


def values(event: Event) -> Values:
    """The number for each metric that an event has."""
    return tuple(event["values"]) if "values" in event else (event["reward"],)


def as_told(event: Event) -> Any:
    """The same for a sentence."""
    return event["values"] if "values" in event else event["reward"]
