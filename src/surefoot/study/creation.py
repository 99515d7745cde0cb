"""A study's first event, which makes it the study it is."""

from contextlib import suppress
from typing import Any, Unpack

import surefoot
from surefoot.errors import Conflict, InvalidValue, NoSuchStudy, number, whole
from surefoot.problem import Problem
from surefoot.problem.arms import Arms
from surefoot.problem.fields import Fields
from surefoot.storage import Event, Storage
from surefoot.study.event_results import LONG, SHORT

SHORTEST = 1.0  # lease of a new study, in seconds
PARAMETERS = ("problem", "policy", "bounds", "seed", "lease")


def created(
    storage: Storage,
    arms: Arms | Problem,
    *,
    policy: str | None = None,
    bounds: str | None = None,
    seed: int = 0,
    lease: float | None = None,
    new: bool = True,
    **fields: Unpack[Fields],
) -> Event:
    """A study's first event, with its fields checked; if it is new, also for what studies of old may have."""
    from surefoot.problem import choice  # with the first study, and not before: it loads the kernels of all parts

    problem = Problem.of(arms, **fields)
    lease = None if lease is None else number("lease", lease, above=0)
    if new:
        problem.check_new()
        if lease is not None and lease < SHORTEST:
            raise InvalidValue(f"lease must be at least 1 second, got {lease:g}")
    policy, bounds = choice.preferred(problem, policy, bounds)
    choice.program(problem, policy, bounds)
    return {
        "type": "created",
        "time": storage.now(),
        "version": SHORT if problem.is_short else LONG,
        "surefoot": surefoot.__version__,
        "problem": problem.dumps(),
        "policy": policy,
        "bounds": bounds,
        "seed": whole("seed", seed, at_least=0),
        "lease": lease,
    }


def found_or_created(storage: Storage, name: str, problem: Problem, **others: Any) -> Event:
    """The first event that a study of that name must have; with it the study is created, unless it exists."""
    try:
        storage.journal(name)
        return created(storage, problem, new=False, **others)
    except NoSuchStudy:
        wanted = created(storage, problem, **others)
        with suppress(Conflict):  # somebody has meanwhile; is it the same?
            storage.create(name, wanted)
        return wanted


def parameters(created: Event) -> Event:
    """All that makes a study the study it is."""
    import tomllib

    problem: Event = tomllib.loads(created["problem"])
    return problem | {name: created[name] for name in PARAMETERS if name != "problem"}


def check_left_out(**others: Any) -> None:
    """Refuse what makes a study, where one is opened that was made before."""
    if given := [name for name, value in others.items() if value is not None]:
        field = min(given)
        raise InvalidValue(
            f"got {field} but no arms: leave out {field} to open a study that exists, or give arms to create one"
        )
