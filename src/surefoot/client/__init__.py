"""Studies that are served elsewhere."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from surefoot.client.link import Link
from surefoot.client.served import ServedStudy
from surefoot.errors import InvalidValue, label
from surefoot.problem import arm_name
from surefoot.problem.fields import Limits, Metrics, Rewards
from surefoot.problem.items import CLAIMS, INDEPENDENT, GivenItems, items_of
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Result, metrics_of
from surefoot.problem.reward_models import Bounded, Gaussian, SubGaussian
from surefoot.problem.risks import Risk
from surefoot.study.creation import check_left_out
from surefoot.study.url_id import identity

__all__ = ["ServedStudy", "connect"]


def connect(
    url: str,
    token: str | None = None,
    name: str | None = None,
    arms: Iterable[str | float] | None = None,
    *,
    risk: Risk | str | None = None,
    rewards: Rewards | None = None,
    goal: str | None = None,
    delta: float | None = None,
    tolerance: float | None = None,
    risk_slack: float | None = None,
    max_pulls: int | None = None,
    failure: Result | None = None,
    metrics: Metrics | None = None,
    limits: Limits | None = None,
    baseline: str | None = None,
    design: str | None = None,
    items: GivenItems | None = None,
    finite: bool | None = None,
    replacement: bool | None = None,
    policy: str | None = None,
    bounds: str | None = None,
    seed: int = 0,
    lease: float | None = None,
    subgaussian: float | None = None,
    patience: float = 60.0,
) -> ServedStudy:
    """Open a study that a service keeps. If arms are given, create it first, unless it exists.

    :param url: the address of the study's page; or that of the service, with the study's name.
    :param token: the token that the service asks for, if it does.
    :param name: the name of the study.
    :param arms: the names of the arms. None: the study exists.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: `(low, high)`, `"binary"`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`. Of several metrics: `"max mean(accuracy)"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
    :param failure: what a failed pull counts as: a number, or a number per metric. None: another pull takes its place.
    :param metrics: if a pull returns several numbers, what is known of each: `{"accuracy": (0, 1), "latency": "any"}`.
    :param limits: several limits, all of which must be kept: `["quantile(0.95, latency) <= 2", "mean(cost) <= 3"]`.
    :param baseline: the arm that limits such as `"mean(cost) <= 1.02 * baseline"` compare the others with.
    :param design: `"independent"`; `"items"`: all arms are tried on the same items; `"rounds"`: they are tried together.
    :param items: the items: their number, or a list of texts. None: an endless stream 0, 1, 2, …
    :param finite: is the question about exactly these items, each tried once by each arm? Else they are a sample.
    :param replacement: are items drawn with replacement? For expected results, where a second trial would differ.
    :param policy: the rule that chooses the arms to pull. None: the one that needs the fewest pulls.
    :param bounds: the family of confidence bounds. None: the one that needs the fewest pulls.
    :param seed: the seed of the random choices that a policy makes.
    :param lease: seconds within which a pull must be told; else another one takes its place. None: no such limit.
    :param subgaussian: the same as `rewards=SubGaussian(sigma)`, by the name that it has over HTTP.
    :param patience: for so many seconds, a service that cannot be reached is tried again, at growing intervals.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidValue(f"the address of a service must be http://… or https://…, got {url!r}")
    base, of_study, ending = parts.path.rstrip("/").removesuffix("/api").partition("/studies/")
    base = base.removesuffix("/api").rstrip("/")
    if bool(of_study) == (name is not None):
        raise InvalidValue(f"give the address of a study, or that of a service with the study's name, got {url!r}")
    fields: dict[str, Any] = {
        "risk": None if risk is None else str(risk),
        "rewards": rewards,
        "subgaussian": subgaussian,
        "goal": goal,
        "delta": delta,
        "tolerance": tolerance,
        "risk_slack": risk_slack,
        "max_pulls": max_pulls,
        "failure": failure,
        "metrics": metrics,
        "limits": limits,
        "baseline": baseline,
        "design": design,
        "items": items,
        "finite": finite,
        "replacement": replacement,
        "policy": policy,
        "bounds": bounds,
        "seed": seed or None,
        "lease": lease,
    }
    link = Link(parts.scheme, parts.netloc, base, token, patience)
    if arms is None:
        check_left_out(**fields)
        study = ServedStudy(link, ending if name is None else identity(label("the name of a study", name)))
        study.refresh()
        return study
    if name is None:
        raise InvalidValue("a new study must have a name: give name=, got none")
    body = {"name": name, "arms": [arm_name(arm) for arm in arms], **plain(fields)}
    answer = link.call("POST", "/api/studies", body)
    return ServedStudy(link, answer["id"], answer)


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given, as JSON says them."""
    given = {name: value for name, value in fields.items() if value is not None}
    match given.get("rewards"):
        case SubGaussian(sigma):
            del given["rewards"]
            given["subgaussian"] = sigma
        case Bounded(low, high):
            given["rewards"] = [low, high]
        case Gaussian():
            given["rewards"] = "gaussian"
        case tuple() as ends:
            given["rewards"] = list(ends)
    if "metrics" in given:
        given["metrics"] = {metric.name: metric.plain() for metric in metrics_of(given["metrics"])}
    if "items" in given:
        items = items_of(given["items"], given.get("design", INDEPENDENT))
        given["items"] = (list(items.names) or items.count) if items else None
        given |= {name: True for name in CLAIMS if items and getattr(items, name)}
    if "limits" in given:
        given["limits"] = [one.plain() if isinstance(one, Limit) else one for one in given["limits"]]
    return given
