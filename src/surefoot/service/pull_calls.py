"""The calls that workers make again and again, each read from its body: what a study is asked to do, and what it answers."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec.json import Decoder

from surefoot.errors import InvalidValue
from surefoot.problem.metrics import Result
from surefoot.service import models, quick_reading
from surefoot.study import Failed, Study
from surefoot.study.any_study import Recorded

Call: TypeAlias = Callable[[Study], dict[str, Any]]


def asking(body: models.Ask | quick_reading.Ask) -> Call:
    def call(study: Study) -> dict[str, Any]:
        pulls = study.ask(body.count, worker=body.worker, request=body.request)
        return {"pulls": [pull.plain() for pull in pulls], "decided": study.decided}

    return call


def telling(body: models.Tell | quick_reading.Tell) -> Call:
    results = told(body.results)

    def call(study: Study) -> dict[str, Any]:
        study.tell_all(results)
        return {"decided": study.decided, "pulls": study.pulls}

    return call


def exchanging(body: models.Exchange | quick_reading.Exchange) -> Call:
    results = told(body.results)

    def call(study: Study) -> dict[str, Any]:
        pulls = study.exchange(results, body.count, worker=body.worker, request=body.request)
        return {"pulls": [pull.plain() for pull in pulls], "decided": study.decided, "counted": study.pulls}

    return call


def told(outcomes: Sequence[models.Outcome | quick_reading.Outcome]) -> list[tuple[int, Result | Failed]]:
    """What is told of each pull."""
    return [(outcome.pull, result(outcome)) for outcome in outcomes]


def result(outcome: models.Outcome | quick_reading.Outcome) -> Result | Failed:
    reward, values, failed = outcome.reward, outcome.values, outcome.failed
    if (reward is None) + (values is None) + (failed is None) != 2:
        given = [name for name in ("reward", "values", "failed") if getattr(outcome, name) is not None]
        got = f"{' and '.join(given) or 'none of them'} (pull {outcome.pull})"
        raise InvalidValue(f"a result must have a reward, or values, or say why the pull failed, got {got}")
    if failed is not None:
        return Failed(failed)
    if reward is not None:
        return reward if type(reward) is float else float(reward)  # of true and false
    return {name: float(value) for name, value in (values or {}).items()}


def recorded(given: models.Observation) -> Recorded:
    """A result that was not asked for."""
    if (given.reward is None) == (given.values is None):
        got = "neither" if given.reward is None else "both"
        raise InvalidValue(f"a result must have a reward, or values of several metrics, got {got}")
    result: Any = given.values if given.reward is None else given.reward
    return (given.arm, result) if given.item is None else (given.arm, result, given.item)


class Reader(NamedTuple):
    """What reads a body, and the call that it means."""

    decoder: Decoder[Any]
    call: Callable[[Any], Call]


READERS = {
    "ask": Reader(Decoder(quick_reading.Ask), asking),
    "tell": Reader(Decoder(quick_reading.Tell), telling),
    "exchange": Reader(Decoder(quick_reading.Exchange), exchanging),
}
