"""Risk limits as a problem file or the command line writes them."""

import re
from collections.abc import Callable

from surefoot.errors import InvalidValue, nearest
from surefoot.problem.risks.risk import NoRisk, Risk
from surefoot.problem.risks.spread import Deviation, Variance
from surefoot.problem.risks.tails import Cvar, CvarUpper, Probability, Quantile

NUMBER = r"([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
LONGEST = 500  # characters, so that no expression takes long to read

# As people write them, with a group of the pattern for each argument of the risk.
EXPRESSIONS: dict[str, tuple[str, Callable[..., Risk]]] = {
    "variance <= V": (rf"variance <= {NUMBER}", Variance),
    "std <= S": (rf"std <= {NUMBER}", Deviation),
    "quantile(A) >= Q": (rf"quantile \( {NUMBER} \) >= {NUMBER}", Quantile),
    "quantile(A) <= Q": (
        rf"quantile \( {NUMBER} \) <= {NUMBER}",
        lambda share, limit: Quantile(share, at_most=limit),
    ),
    "cvar(A) >= C": (rf"cvar \( {NUMBER} \) >= {NUMBER}", Cvar),
    "cvar_upper(A) <= C": (rf"cvar_upper \( {NUMBER} \) <= {NUMBER}", CvarUpper),
    "probability(reward < C) <= P": (
        rf"probability \( reward < {NUMBER} \) <= {NUMBER}",
        lambda threshold, limit: Probability("<", threshold, limit),
    ),
    "probability(reward > C) <= P": (
        rf"probability \( reward > {NUMBER} \) <= {NUMBER}",
        lambda threshold, limit: Probability(">", threshold, limit),
    ),
    "none": ("none", NoRisk),
}


def parse(expression: object) -> Risk:
    """The risk that an expression means; spaces do not matter.

    >>> parse("probability(reward < 0.2) <= 0.05")
    Probability(side='<', threshold=0.2, at_most=0.05)
    """
    readable = isinstance(expression, str) and len(expression) <= LONGEST
    for pattern, risk in EXPRESSIONS.values():
        spaced = pattern.replace(" ", r"\s*")
        found = re.fullmatch(spaced, str(expression).strip()) if readable else None
        if found:
            return risk(*map(float, found.groups()))
    *others, last = map(repr, EXPRESSIONS)
    raise InvalidValue(
        f"risk must be {', '.join(others)} or {last}, with numbers for the capitals, got {expression!r}"
        f"{close(expression) if readable else ''}"
    )


def close(expression: object) -> str:
    """The end of a sentence: the forms of the risk that was probably meant."""
    forms = [name for name in EXPRESSIONS if first_word(name) == first_word(expression)]
    return (
        f"; did you mean {' or '.join(forms)}?"
        if forms
        else nearest(first_word(expression), map(first_word, EXPRESSIONS))
    )


def first_word(expression: object) -> str:
    return re.split(r"[^\w]", str(expression).strip(), maxsplit=1)[0]
