"""Bounds, policies and risks of one's own: plain functions, registered by a name and used like the others.

    from surefoot import own

    own.mean_bound("hoeffding", interval)
    own.policy("least-pulled", choose)
    own.risk("semivariance", observe, log_wealths, estimate, value=semivariance, fields=("seen", "square"))

A live study calls the functions as they are, a simulation compiles them: they may use floats, ints, tuples and `math`, and
functions of their own module that keep to the same. docs/own.md shows one of each.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core import records, registry, stepping, verdicts
from surefoot.core.assembly import assemble, filled, written_module
from surefoot.core.own import limit_test as limit_test_template
from surefoot.core.own import mean_bound as mean_bound_template
from surefoot.core.own import policy as policy_template
from surefoot.core.own import written
from surefoot.core.own.limit_test import Limit
from surefoot.core.program import Program
from surefoot.core.ranking import tournament
from surefoot.core.registry import Family
from surefoot.core.statistics import Statistics
from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from surefoot.problem.risks.expressions import EXPRESSIONS, first_word
from surefoot.problem.risks.own_risk import OwnRisk

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution

BUILT_IN = frozenset([*registry.POLICIES, *registry.BOUNDS, *registry.SHARP_TESTS, *map(first_word, EXPRESSIONS)])


def mean_bound(name: str, interval: Callable[[Any, float, float], tuple[float, float]]) -> None:
    """Register bounds for rewards with a range: this interval for the mean, and the tests of `sharp` for the risk.

    `interval(arm, lower_miss, upper_miss)` gives L and U from `arm.pulls`, `arm.mean`, `arm.spread` (the sum of squared
    distances from the mean) and `arm.surprise`. Over all numbers of pulls together, L may exceed the mean with probability
    `lower_miss` at most, U may fall below it with probability `upper_miss`. Rewards are on [0, 1] here.
    """
    what = f"of the mean bound {checked(name)!r}"
    module = around(mean_bound_template, "mean_bound", name, what, interval=interval)
    arm = records.plain_record(Statistics)()
    arm.pulls, arm.total, arm.mean, arm.spread, arm.surprise = 10.0, 4.0, 0.4, 1.2, 1.3
    ends = tried(f"interval {what}", interval, arm, 0.01, 0.01)
    two_floats(f"interval {what}", "L and U", ends)
    if not ends[0] <= arm.mean <= ends[1]:
        raise InvalidValue(f"interval {what} must have the mean {arm.mean} between L and U, got {ends!r}")
    registry.FAMILIES[name, "bounded"] = Family(module, registry.SHARP_TESTS, tournament)
    if name not in registry.BOUNDS:
        registry.BOUNDS.append(name)


def policy(name: str, choose: Callable[[Any, Any, np.random.Generator], int]) -> None:
    """Register a policy that stops as the others do, and chooses by this function.

    `choose(state, ranking, generator)` writes the arms to pull next into `state.asked`, by their index, and returns how many
    they are, at least one. Each of `state.arms` has `pulls`, `mean`, `lower`, `upper` and `verdict`. `ranking` has
    the `leader` (best mean), the `optimist` (largest U) and the `incumbent` (largest L of the arms known to be feasible);
    each is -1 if there is no such arm.
    """
    what = f"of the policy {checked(name)!r}"
    module = around(policy_template, "policy", name, what, choose=choose)
    try_policy(f"choose {what}", module)
    registry.POLICIES[name] = module


def risk(
    name: str,
    observe: Callable[[Any, Any, float], None],
    log_wealths: Callable[[Any, Any], tuple[float, float]],
    estimate: Callable[[Any, Any], float],
    *,
    value: "Callable[[Distribution], float]",
    fields: Iterable[str],
) -> None:
    """Register a risk for rewards with a range: from then on, "NAME <= LIMIT" is a risk expression.

    `fields` are the numbers kept of each arm; they start at 0. `observe(arm, limit, reward)` adds a reward to them, and
    `log_wealths(arm, limit)` gives the logarithms of two wealths: of bets that the risk is within `limit.wide` (the limit
    and `risk_slack`), and that it is beyond `limit.value`. Each must be a supermartingale starting at 1 if its bet is wrong.
    `estimate(arm, limit)` is the risk to show, from `fields` only: after a verdict they do not change any more. Rewards are
    on their own scale here. `value(distribution)` is the true risk, by which a simulation knows which answers are right.
    """
    what = f"of the risk {checked(name)!r}"
    functions: dict[str, Callable[..., Any]] = {"observe": observe, "log_wealths": log_wealths, "estimate": estimate}
    module = around(limit_test_template, "limit_test", name, what, **functions)
    takes(f"value {what}", value, ["distribution"])
    declaration = evidence(what, tuple(fields))
    module.Evidence = declaration  # type: ignore[attr-defined]
    arm = records.plain_record(declaration)()
    limit = Limit(0.1, 0.1, 0.0, 1.0)
    for pulls, reward in enumerate((0.2, 0.0, 1.0, 0.5), start=1):
        arm.pulls = float(pulls)
        tried(f"observe {what}", observe, arm, limit, reward)
        two_floats(f"log_wealths {what}", "two log-wealths", tried(f"log_wealths {what}", log_wealths, arm, limit))
    shown = tried(f"estimate {what}", estimate, arm, limit)
    if not isinstance(shown, float):
        raise InvalidValue(f"estimate {what} must return a float, got {shown!r}")
    for bounds in ("sharp", "tight"):
        registry.FAMILIES[bounds, "bounded"].limit_tests[name] = module
    EXPRESSIONS[f"{name} <= X"] = partial(OwnRisk, name, value)


def checked(name: object) -> str:
    """A name that nothing of Surefoot's has; one's own may be given anew."""
    if not isinstance(name, str) or not name.replace("-", "_").isidentifier() or not name.islower():
        raise InvalidValue(f"a name must be small letters, digits, - and _, such as 'my-bound', got {name!r}")
    if name in BUILT_IN:
        raise InvalidValue(f"{name!r} is a name that Surefoot uses itself; choose another")
    return name


def around(template: ModuleType, kind: str, name: str, what: str, **functions: Callable[..., Any]) -> ModuleType:
    """The template with these functions in it, each with the arguments that are expected."""
    for key, function in functions.items():
        takes(f"{key} {what}", function, list(inspect.signature(getattr(written, key)).parameters))
    place = f"surefoot.own.{kind}.{name}"
    module = filled(template, place, written=written_module(f"{place}.written", functions))
    vars(module)["OWN"] = name
    return module


def takes(what: str, function: Any, arguments: list[str]) -> None:
    """Can the function be called with these arguments by position?"""
    if not inspect.isfunction(function):
        raise InvalidValue(f"{what} must be a plain function, got {function!r}")
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        raise InvalidValue(
            f"{what} must take ({', '.join(arguments)}), got {function.__name__}{inspect.signature(function)}"
        ) from None


def tried(what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns on an example; a failure of it as a sentence."""
    try:
        return function(*arguments)
    except InvalidValue:
        raise
    except Exception as error:
        raise InvalidValue(f"{what} failed on an example: {type(error).__name__}: {error}") from error


def two_floats(what: str, meaning: str, result: Any) -> None:
    if not (isinstance(result, tuple) and len(result) == 2 and all(isinstance(part, float) for part in result)):
        raise InvalidValue(f"{what} must return {meaning}, a tuple of two floats, got {result!r}")


def evidence(what: str, fields: tuple[str, ...]) -> type:
    """The declaration of a limit test's own fields."""
    taken = records.fields(limit_test_template.Evidence)
    for field in fields:
        if not isinstance(field, str) or not field.isidentifier() or field in taken:
            raise InvalidValue(f"the fields {what} must be names that no other part has, got {field!r}")
    return type("Evidence", (limit_test_template.Evidence,), {"__annotations__": dict.fromkeys(fields, float)})


def try_policy(what: str, module: ModuleType) -> None:
    """A short run against three arms that always give the same rewards."""
    rewards = (0.2, 0.5, 0.9)
    sharp = registry.FAMILIES["sharp", "bounded"]
    program = Program(module, sharp.ranker, sharp.mean_bound, (), registry.ANSWERS["best"])
    state = program.start(question_of(Problem.of(["A", "B", "C"])), packed=False)
    kernels = assemble(stepping, program.parts)
    choose = kernels.policy.written.choose

    def checked_choose(*arguments: Any) -> Any:
        pulls = choose(*arguments)
        if not isinstance(pulls, int) or not 1 <= pulls <= len(state.asked):
            raise InvalidValue(f"{what} must return how many arms it wrote into state.asked, got {pulls!r}")
        for arm in state.asked[:pulls]:
            if not isinstance(arm, int | np.integer) or arm not in range(len(rewards)):
                raise InvalidValue(f"{what} must write indices of arms into state.asked, got {arm!r}")
        return pulls

    kernels.policy.written.choose = checked_choose  # whose sentences, unlike a kernel's, can say what came
    generator = np.random.default_rng(0)
    for t in range(1, 31):
        step = tried(what, kernels.step, state, t, generator)
        if step.status != verdicts.UNDECIDED:
            return
        for arm in state.asked[: step.pulls]:
            kernels.fold(state, arm, (rewards[arm],))
