"""Risk limits as a problem file or the command line writes them."""

import re
from functools import cache

from surefoot.errors import InvalidValue, nearest
from surefoot.problem.risks import RISKS
from surefoot.problem.risks.risk import Forms, Risk

NUMBER = r"([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
WORD = re.compile(r"[\w-]+|[<>]=?|[()]")
LONGEST = 500  # characters, so that no expression takes long to read

EXPRESSIONS: Forms = {form: made for risk in RISKS for form, made in risk.forms.items()}


def parse(expression: object) -> Risk:
    """The risk that an expression means; spaces do not matter.

    >>> parse("probability(reward < 0.2) <= 0.05")
    Probability(side='<', threshold=0.2, at_most=0.05)
    """
    readable = isinstance(expression, str) and len(expression) <= LONGEST
    for form, made in EXPRESSIONS.items():
        found = pattern(form).fullmatch(str(expression).strip()) if readable else None
        if found:
            return made(*map(float, found.groups()))
    *others, last = map(repr, EXPRESSIONS)
    raise InvalidValue(
        f"risk must be {', '.join(others)} or {last}, with numbers for the capitals, got {expression!r}"
        f"{close(expression) if readable else ''}"
    )


@cache
def pattern(form: str) -> re.Pattern[str]:
    """What matches an expression of this form: a number for each capital letter, and spaces wherever one likes.

    >>> pattern("quantile(A) >= Q").fullmatch("quantile( 0.05)>=0.2").groups()
    ('0.05', '0.2')
    """
    words = [NUMBER if word.isupper() else re.escape(word) for word in WORD.findall(form)]
    return re.compile(r"\s*".join(words))


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
