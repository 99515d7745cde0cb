"""Risk limits as a problem file or the command line writes them."""

import re
from dataclasses import replace

from surefoot.errors import InvalidValue
from surefoot.problem.grammar import LimitExpression, Quantity, read_limit
from surefoot.problem.metrics import REWARD
from surefoot.problem.risks import RISKS
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.problem.risks.none import NoRisk
from surefoot.problem.risks.risk import Forms, Risk

SIGNS = re.compile(r"[<>]=?")
NONE = "none"

EXPRESSIONS: Forms = {form: made for risk in RISKS for form, made in risk.forms.items()}


def parse(expression: object) -> Risk:
    """The risk that an expression means; spaces do not matter.

    >>> parse("probability(reward < 0.2) <= 0.05")
    Probability(side='<', threshold=0.2, at_most=0.05)
    """
    if isinstance(expression, str) and expression.strip() == NONE:
        return NoRisk()
    risk, quantity = read_risk("risk", expression)
    if quantity.metric not in ("", REWARD):
        raise InvalidValue(f"risk {expression!r} must be about the metric {REWARD}, got {quantity.metric!r}")
    return risk


def read_risk(what: str, expression: object) -> tuple[Risk, Quantity]:
    """The risk that an expression means, and the quantity with the metric that it names.

    >>> read_risk("limit", "variance(latency) <= 4")[1].metric
    'latency'
    """
    known = [name for name in dict.fromkeys(map(first_word, EXPRESSIONS)) if name != NONE]
    try:
        read = read_limit(what, expression, known)
    except InvalidValue as error:
        raise InvalidValue(f"{error}{meant(expression)}") from None
    if read.bound.factor:
        return AgainstBaseline(replace(read.quantity, metric=""), read.relation, read.bound), read.quantity
    made = {(first_word(form), *SIGNS.findall(form)): made for form, made in EXPRESSIONS.items()}.get(key(read))
    if made is None:
        raise InvalidValue(f"{what} {expression!r} is not a limit that can be tested{meant(expression)}")
    numbers = (read.quantity.share, read.quantity.threshold, read.bound.plus)
    return made(*(number for number in numbers if number is not None)), read.quantity


def key(read: LimitExpression) -> tuple[str, ...]:
    """The quantity, and the signs in their order."""
    return (read.quantity.name, *filter(None, (read.quantity.side, read.relation)))


def meant(expression: object) -> str:
    """The end of a sentence: the forms of the risk that was probably meant."""
    forms = [
        form
        for form in EXPRESSIONS
        if isinstance(expression, str) and first_word(form) == first_word(expression.strip())
    ]
    return f"; did you mean {' or '.join(forms)}?" if forms else ""


def first_word(form: str) -> str:
    """The quantity of a form.

    >>> first_word("quantile(A) >= Q")
    'quantile'
    """
    return re.split(r"[ (]", form, maxsplit=1)[0]
