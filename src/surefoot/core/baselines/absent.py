"""No limit is against a baseline: there is nothing to keep and nothing to look at."""

from typing import Any

from surefoot.core.parts import Nothing
from surefoot.core.state import Results, State

Evidence = Nothing
COMPARES = False  # is any limit against a baseline?


def gather(arm: Any, parameters: Any, results: Results) -> None:
    """No evidence is kept for it."""


def look(state: State, index: int) -> bool:
    return False


def look_at_both(state: State, first: int, second: int) -> bool:
    return False


def add_wanted(state: State, pulls: int) -> int:
    """No other arm is needed for those that are to be pulled."""
    return pulls


def keep(state: State, index: int, results: Results) -> None:
    """Nothing is kept by items."""


def leave_out(state: State, index: int) -> None:
    """Nothing is kept by items."""


def refresh(state: State, compared: Any, index: int) -> None:
    """There is nothing to compare."""


def sample_breaks(state: State, index: int) -> bool:
    return False


def in_doubt(state: State, index: int) -> int:
    """Which arm to pull if it is in doubt whether this one is feasible."""
    return index


def needs(parameters: Any, index: int) -> bool:
    """Is this the arm that others are compared with?"""
    return False
