"""Expressions as people write them: quantities, limits and goals. What is wrong is said with its place.

A quantity is a number that belongs to an arm: `mean(latency)`, `variance(latency)`, `quantile(0.95, latency)`,
`probability(latency > 2)`. If there is one metric, its name may be left out, except in `probability(…)`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

from surefoot.errors import InvalidValue, nearest

LONGEST = 500  # characters, so that no expression takes long to read
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w.])"
    r"|(?P<word>[^\W\d]\w*(?:-[^\W\d]\w*)*)"
    r'|"(?P<quoted>[^"]*)"'
    r"|(?P<sign><=|>=|[<>(),*+-]))"
)
PLAIN = re.compile(r"[^\W\d]\w*")  # a name of a metric that needs no quotes
SHARED = ("quantile", "cvar", "cvar_upper")  # quantities with a share: quantile(0.95, m)
QUANTITIES = ("mean", "variance", "std", *SHARED, "probability")
BASELINE = "baseline"
DIRECTIONS = ("max", "min")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that belongs to an arm.

    >>> str(Quantity("quantile", "latency", share=0.95)), str(Quantity("probability", "reward", side="<", threshold=0.2))
    ('quantile(0.95, latency)', 'probability(reward < 0.2)')
    """

    name: str
    metric: str = ""  # empty: the only one
    share: float | None = None
    side: str = ""  # of a probability: < or >
    threshold: float | None = None

    def __str__(self) -> str:
        metric = self.metric if not self.metric or PLAIN.fullmatch(self.metric) else f'"{self.metric}"'
        if self.threshold is not None:
            return f"{self.name}({metric} {self.side} {written(self.threshold)})"
        inside = ", ".join(part for part in (written(self.share) if self.share is not None else "", metric) if part)
        return f"{self.name}({inside})" if inside else self.name


class Bound(NamedTuple):
    """What a quantity may be: `plus` alone, or `factor` times that of the baseline, and `plus`."""

    factor: float
    plus: float

    def __str__(self) -> str:
        if not self.factor:
            return written(self.plus)
        times = "" if self.factor == 1.0 else f"{written(self.factor)} * "
        sign = f" {'+' if self.plus > 0.0 else '-'} {written(abs(self.plus))}" if self.plus else ""
        return f"{times}{BASELINE}{sign}"


@dataclass(frozen=True, slots=True)
class LimitExpression:
    quantity: Quantity
    relation: str  # <= or >=
    bound: Bound

    def __str__(self) -> str:
        return f"{self.quantity} {self.relation} {self.bound}"


@dataclass(frozen=True, slots=True)
class GoalExpression:
    """To maximise or minimise a quantity, for a mean less (with min: plus) `weight` times the variance."""

    direction: str
    quantity: Quantity | None = None  # None: the mean of the only metric
    weight: float = 0.0

    def __str__(self) -> str:
        if self.quantity is None:
            return self.direction
        variance = replace(self.quantity, name="variance")
        penalty = (
            f" {'-' if self.direction == 'max' else '+'} {written(self.weight)} * {variance}" if self.weight else ""
        )
        return f"{self.direction} {self.quantity}{penalty}"


def written(value: float) -> str:
    """A number to its last digit, as people write it.

    >>> written(120.0), written(0.05)
    ('120', '0.05')
    """
    return repr(value).removesuffix(".0")


def read_limit(what: str, text: object, known: Collection[str] = QUANTITIES) -> LimitExpression:
    """The limit that a text means, on one of the quantities that are known.

    >>> str(read_limit("a limit", "quantile(.95,latency)<=1.02*baseline"))
    'quantile(0.95, latency) <= 1.02 * baseline'
    """
    reader = Reader(what, text)
    quantity = reader.quantity(known)
    relation = reader.sign("<=", ">=")
    limit = LimitExpression(quantity, relation, reader.bound())
    reader.end("one limit per text")
    return limit


def read_goal(what: str, text: object) -> GoalExpression:
    """The goal that a text means.

    >>> str(read_goal("goal", "max mean(profit) - 2*variance(profit)"))
    'max mean(profit) - 2 * variance(profit)'
    """
    reader = Reader(what, text)
    direction = reader.word(DIRECTIONS)
    if reader.at_end:
        return GoalExpression(direction)
    quantity = reader.quantity(QUANTITIES)
    weight = 0.0
    if quantity.name == "mean" and not reader.at_end:
        reader.sign("-" if direction == "max" else "+")
        weight = reader.number("how much the variance counts")
        if weight <= 0.0:
            reader.refuse("a number above 0", back=1)
        reader.sign("*")
        start = reader.place
        if reader.quantity(("variance",)) != replace(quantity, name="variance"):
            reader.place = start
            reader.refuse(f"`{replace(quantity, name='variance')}`")
    reader.end("one goal per text")
    return GoalExpression(direction, quantity, weight)


class Token(NamedTuple):
    kind: str
    text: str
    start: int


class Reader:
    """The words of an expression, taken one after the other."""

    def __init__(self, what: str, text: object) -> None:
        self.what, self.text, self.place = what, text, 0
        if not isinstance(text, str):
            raise InvalidValue(f"{what} must be a text, got {text!r}")
        if len(text) > LONGEST:
            raise InvalidValue(f"{what} must have at most {LONGEST} characters, got {len(text):,}")
        self.tokens: list[Token] = []
        start, end = 0, len(text.rstrip())
        while start < end:
            if not (found := TOKEN.match(text, start)):
                unknown = text[start:end].split()[0]
                self.tokens.append(Token("unknown", unknown, text.index(unknown, start)))
                break
            kind = found.lastgroup or ""
            self.tokens.append(Token(kind, found[kind], found.start(kind)))
            start = found.end()

    @property
    def at_end(self) -> bool:
        return self.place == len(self.tokens)

    def refuse(self, expected: str, back: int = 0, hint: str = "") -> NoReturn:
        """Say what was expected at this place, or so many words before it."""
        place = self.place - back
        if place < len(self.tokens):
            token = self.tokens[place]
            where, came = f"at character {token.start + 1}", repr(token.text)
        else:
            where, came = "at its end", "nothing"
        raise InvalidValue(f"{self.what} {self.text!r} must have {expected} {where}, got {came}{hint}")

    def take(self, kind: str) -> str | None:
        """The next word, if it is of this kind."""
        if self.at_end or self.tokens[self.place].kind != kind:
            return None
        self.place += 1
        return self.tokens[self.place - 1].text

    def end(self, hint: str) -> None:
        if not self.at_end:
            self.refuse("nothing more", hint=f"; {hint}")

    def word(self, known: Collection[str]) -> str:
        word = self.take("word")
        if word is None:
            self.refuse(listing(known))
        if word not in known:
            self.refuse(listing(known), 1, nearest(word, known))
        return word

    def sign(self, *signs: str) -> str:
        sign = self.take("sign")
        if sign is None:
            self.refuse(listing(signs))
        if sign not in signs:
            self.refuse(listing(signs), 1)
        return sign

    def sees(self, sign: str) -> bool:
        """Is this the next sign? Then it is taken."""
        if not self.at_end and self.tokens[self.place][:2] == ("sign", sign):
            self.place += 1
            return True
        return False

    def number(self, what: str) -> float:
        negative = self.sees("-")
        if not negative:
            self.sees("+")
        number = self.take("number")
        if number is None:
            self.refuse(f"a number ({what})")
        return -float(number) if negative else float(number)

    def metric(self) -> str:
        name = self.take("word")
        if name is None:
            name = self.take("quoted")
        if not name:
            self.refuse("the name of a metric")
        return name

    def quantity(self, known: Collection[str]) -> Quantity:
        name = self.word(known)
        if name == "probability":
            self.sign("(")
            metric, side = self.metric(), self.sign("<", ">")
            quantity = Quantity(name, metric, side=side, threshold=self.number("the threshold"))
            self.sign(")")
            return quantity
        if name in SHARED:
            self.sign("(")
            share = self.number("the share")
            metric = self.metric() if self.sees(",") else ""
            self.sign(")")
            return Quantity(name, metric, share=share)
        if not self.sees("("):
            return Quantity(name)
        metric = self.metric()
        self.sign(")")
        return Quantity(name, metric)

    def bound(self) -> Bound:
        if not self.at_end and self.tokens[self.place].kind == "word":
            return self.against_baseline(1.0)
        number = self.number("the limit")
        if not self.sees("*"):
            return Bound(0.0, number)
        if number <= 0.0:
            self.refuse("a factor above 0", back=2)
        return self.against_baseline(number)

    def against_baseline(self, factor: float) -> Bound:
        self.word((BASELINE,))
        if self.at_end:
            return Bound(factor, 0.0)
        sign = self.sign("+", "-")
        plus = self.number("how far from the baseline")
        return Bound(factor, plus if sign == "+" else -plus)


def listing(choices: Collection[str]) -> str:
    """`<=` or `>=`."""
    *others, last = (f"`{choice}`" for choice in choices)
    return f"{', '.join(others)} or {last}" if others else last
