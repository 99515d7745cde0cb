"""A problem as TOML text: read and written."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surefoot.errors import InvalidValue, nearest, number
from surefoot.files import read_toml
from surefoot.problem import items
from surefoot.problem.arms import Arm
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import SubGaussian

if TYPE_CHECKING:
    from pathlib import Path

    from surefoot.problem.problem import Problem

FIELDS = (
    *("goal", "risk", "rewards", "subgaussian", "delta", "tolerance", "risk_slack", "max_pulls", "failure"),
    *("limits", "baseline", "design", "items", "metrics", "arms"),
)


def read(text: str, folder: "Path", arms: Sequence[str] = (), lists: "Path | None" = None) -> dict[str, Any]:
    """The fields of the problem that a text means; paths in it start at `folder`, `arms` are those where it names none.

    :param lists: where paths of items start, which are read at once. None: at `folder`.
    """
    table = read_toml(text, "the problem must be")
    if unknown := sorted(set(table) - set(FIELDS)):
        known = ", ".join(FIELDS)
        raise InvalidValue(f"a problem has no field {unknown[0]!r}; it has {known}{nearest(unknown[0], FIELDS)}")
    if "subgaussian" in table:
        for other in ("rewards", "metrics"):
            if other in table:
                raise InvalidValue(f"a problem must give {other} or subgaussian, got both")
        table["rewards"] = SubGaussian(number("subgaussian", table.pop("subgaussian")))
    if "rewards" not in table and "metrics" not in table:
        raise InvalidValue(
            'rewards must be a range [low, high] or "gaussian" (or give subgaussian or [metrics]), got nothing'
        )
    if "items" in table:
        table["items"] = items.from_table(table["items"], folder if lists is None else lists)
    if arms and "arms" not in table:
        table["arms"] = tuple(map(Arm, arms))
    else:
        table["arms"] = tuple(arm(entry, folder) for entry in listed(table.get("arms")))
    return table


def written(problem: "Problem") -> str:
    """The text that `read` takes for this problem."""
    import tomli_w

    short, rewards = problem.is_short, problem.rewards.plain()
    table: dict[str, Any] = {"goal": problem.goal}
    if short:
        table["risk"] = str(problem.risk)
        table |= rewards if isinstance(rewards, dict) else {"rewards": rewards}
    else:
        table["limits"] = [limit.plain() for limit in problem.limits]
    table |= {"delta": problem.delta, "tolerance": problem.tolerance}
    if short:
        table["risk_slack"] = problem.risk_slack
    if problem.max_pulls is not None:
        table["max_pulls"] = problem.max_pulls
    if problem.baseline is not None:
        table["baseline"] = problem.baseline
    if problem.failure is not None:
        table["failure"] = problem.failure
    if problem.items is not None:
        table |= {"design": problem.design, "items": problem.items.plain()}
    if not short:
        table["metrics"] = written_metrics(problem.metrics)
    table["arms"] = [
        {"name": arm.name} | ({arm.source.key: arm.source.plain()} if arm.source else {}) for arm in problem.arms
    ]
    return tomli_w.dumps(table)


def written_metrics(metrics: Sequence[Metric]) -> dict[str, Any]:
    """Each by its name, in their order: where one must be a table all are, as tables come last in TOML."""
    plain = {metric.name: metric.plain() for metric in metrics}
    if any(isinstance(one, dict) for one in plain.values()):
        return {metric.name: metric.table() for metric in metrics}
    return plain


def listed(entries: Any) -> list[Any]:
    if not isinstance(entries, list):
        raise InvalidValue(f"arms must be [[arms]] tables, got {'nothing' if entries is None else repr(entries)}")
    return entries


def arm(entry: Any, folder: "Path") -> Arm:
    """An arm from its table in a problem file: a name and at most one source."""
    if not isinstance(entry, dict):
        raise InvalidValue(f"each of arms must be a table, got {entry!r}")
    sources = [key for key in entry if key != "name"]
    name: Any = entry.get("name")
    if sources:
        from surefoot.problem.reward_sources import SOURCES, source
    for key in sources:
        if key not in SOURCES:
            known = ", ".join(SOURCES)
            close = nearest(key, ("name", *SOURCES))
            raise InvalidValue(f"arm {name!r} has no field {key!r}; it has name and one of {known}{close}")
    if len(sources) > 1:
        raise InvalidValue(f"arm {name!r} must have one source of rewards, got {' and '.join(sources)}")
    try:
        return Arm(name, source(sources[0], entry[sources[0]], folder) if sources else None)
    except InvalidValue as error:
        raise InvalidValue(f"arm {name!r}: {error}") from error
