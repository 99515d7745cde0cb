"""Items: what all arms are tried on in common, and the one order in which each of them goes through it; or rounds, which are
like an endless stream of items that all arms in play go through together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from surefoot.errors import InvalidValue, nearest, number, shown, whole
from surefoot.files import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

INDEPENDENT, ON_ITEMS, IN_ROUNDS = "independent", "items", "rounds"
DESIGNS = (INDEPENDENT, ON_ITEMS, IN_ROUNDS)
CLAIMS = ("finite", "replacement")  # what the answer is about: these items, or expected results on them
KEYS = ("list", "count", "data", "finite", "replacement", "correlation", "season", "digest")
MOST_NAMES = 10_000  # that a journal keeps; of a longer list it keeps the digest
MOST_ARMS = 1_000  # each two of them may be compared
ORDER = 1  # sets its random numbers apart from others of the same seed
PARTS = "one of list, count and data, or none of them for an endless stream"


@dataclass(frozen=True, slots=True)
class Items:
    """What arms are tried on: a list, so many items, or an endless stream 0, 1, 2 and so on.

    :param count: the number of items. None: an endless stream.
    :param names: the items of a list; empty: an item is its number.
    :param data: a table with a row per item and a column per arm, to simulate: `"scores.csv"`.
    :param finite: is the question about exactly these items, as if each arm were tried once on each? Else they are a sample.
    :param replacement: are items drawn from the list with replacement? Then the question is about expected results on it.
    :param correlation: of simulated arms, that of the normal numbers from which the results on an item are made.
    :param season: of simulated arms, what they have in common goes up and down once in so many items; 0: it is drawn anew
        on each.
    :param rounds: are they the rounds of design = "rounds"?

    >>> Items(3, ("a.txt", "b.txt", "c.txt")).name(1)
    'b.txt'
    """

    count: int | None = None
    names: tuple[str, ...] = ()
    data: str = ""
    correlation: float = 0.0
    digest: str = ""  # of the names of a list
    season: int = 0
    rounds: bool = False
    finite: bool = False
    replacement: bool = False

    def __post_init__(self) -> None:
        if self.count is not None:
            whole("the number of items", self.count, at_least=1)
        number("correlation of items", self.correlation, at_least=0, at_most=1)
        whole("season of items", self.season, at_least=0)
        if self.names and not self.digest:
            object.__setattr__(self, "digest", digest_of(self.names))
        for name in CLAIMS:
            if getattr(self, name) not in (True, False):
                raise InvalidValue(f"{name} of items must be true or false, got {getattr(self, name)!r}")
            if getattr(self, name) and self.count is None:
                raise InvalidValue(f"{name} of items needs a list or a count of items: a stream has no end")
        if self.finite and self.replacement:
            raise InvalidValue(
                "items must be finite or drawn with replacement, got both. With finite, the answer is about one trial of "
                "each item. With replacement, it is about expected results: choose that if a second trial would differ"
            )

    @property
    def last(self) -> float:
        """How many places the order of items has, infinite for a stream and for draws with replacement."""
        return math.inf if self.count is None or self.replacement else self.count

    def name(self, index: int) -> str | int:
        """An item, as whoever makes a pull sees it."""
        self.check_named()
        return self.names[index] if self.names else index

    def shown(self, index: int | None) -> str | int | None:
        """An item for people to see: by its number where the names are not known."""
        return self.names[index] if self.names and index is not None else index

    def check_named(self) -> None:
        """Refuse to go on with items whose names are not known."""
        if self.digest and not self.names:
            raise InvalidValue(
                f"the {self.count:,} items of this study are in a list that its journal does not hold, as it is too long: "
                "give the same items when you open the study"
            )

    def at(self, place: int, order: "NDArray[np.int64] | None", seed: int) -> int:
        """The item at a place of the order, by its number."""
        if self.replacement and self.count:
            raw = np.random.PCG64(np.random.SeedSequence([seed, ORDER])).advance(place).random_raw()
            return int(raw) % self.count
        return place if order is None else int(order[place])

    def order(self, seed: int) -> "NDArray[np.int64] | None":
        """The items by their place: in random order, drawn by the study once; None: a stream is in order as it is, and draws
        with replacement are made place by place.

        The raw numbers of this generator are the same in every version of NumPy, unlike its permutations: a study that is
        opened years later goes on in the same order.
        """
        if self.count is None or self.replacement:
            return None
        raw = np.random.PCG64(np.random.SeedSequence([seed, ORDER])).random_raw(self.count)
        return np.argsort(raw, kind="stable")

    def plain(self) -> dict[str, Any]:
        """As a problem file has it."""
        table: dict[str, Any] = {}
        if self.data:
            table["data"] = self.data
        elif self.names and len(self.names) <= MOST_NAMES:
            table["list"] = list(self.names)
        elif self.count is not None:
            table["count"] = self.count
            table |= {"digest": self.digest} if self.digest else {}
        table |= {name: True for name in CLAIMS if getattr(self, name)}
        table |= {"correlation": self.correlation} if self.correlation else {}
        return table | ({"season": self.season} if self.season else {})


GivenItems: TypeAlias = int | Sequence[str] | Mapping[str, Any] | Items  # what may be given for them


def design_of(given: Any) -> str:
    if given not in DESIGNS:
        raise InvalidValue(f"design must be one of {', '.join(map(repr, DESIGNS))}, got {given!r}")
    return str(given)


def items_of(given: Any, design: str, **claims: Any) -> Items | None:
    """The items that are meant, where arms are tried on the same ones; or the rounds. `finite` and `replacement` say what is
    claimed of items; None is as good as left out.
    """
    claims = {name: value for name, value in claims.items() if value is not None}
    if design == IN_ROUNDS and not any(claims.values()):
        return rounds_of(given)
    if design != ON_ITEMS:
        for name, value in {"items": given, **claims}.items():
            if value not in (None, False):
                goes = "go" if name == "items" else "goes"
                raise InvalidValue(f'{name} {goes} with design = "items", got {name} and design = {design!r}')
        return None
    found = given_items(given)
    return replace(found, **claims) if claims else found


def given_items(given: Any) -> Items:
    if given is None:
        return Items()
    if isinstance(given, Items):
        return given
    if isinstance(given, Mapping):
        from pathlib import Path

        return from_table(given, Path())
    if isinstance(given, Sequence) and not isinstance(given, str):
        return listed(given)
    return Items(whole("items", given, at_least=1))


def rounds_of(given: Any) -> Items:
    """Rounds, of which only simulations know more."""
    found = Items() if given is None else items_of(given, ON_ITEMS)
    assert found is not None
    if found.count is not None:
        raise InvalidValue(
            'design = "rounds" has no list of items: leave items out, or, to simulate, give correlation and season alone'
        )
    return replace(found, rounds=True)


def listed(names: Sequence[Any]) -> Items:
    """Of a list of texts; equal ones are items of their own."""
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise InvalidValue(f"each item of a list must be some text, got {shown(name)}")
    if not names:
        raise InvalidValue("a list of items must have at least one, got none")
    return Items(len(names), tuple(names))


def from_table(table: Any, folder: "Path") -> Items:
    """From `[items]` in a problem file; paths in it start at `folder`."""
    if not isinstance(table, Mapping):
        raise InvalidValue(f"items must be a table [items] with {PARTS}, got {table!r}")
    for key in table:
        if key not in KEYS:
            raise InvalidValue(f"items has no field {key!r}; it has {', '.join(KEYS[:-1])}{nearest(str(key), KEYS)}")
    found = counted(table, folder)
    claims = {key: table[key] for key in CLAIMS if key in table}
    return replace(found, **claims) if claims else found


def counted(table: Mapping[str, Any], folder: "Path") -> Items:
    """The items themselves."""
    parts = [key for key in ("list", "count", "data") if key in table]
    if len(parts) > 1:
        raise InvalidValue(f"items must have {PARTS}, got {' and '.join(parts)}")
    correlation = table.get("correlation", 0.0)
    if "data" in table:
        if not isinstance(table["data"], str):
            raise InvalidValue(f'data of items must be a file such as "scores.csv", got {table["data"]!r}')
        if correlation:
            raise InvalidValue("correlation of items is for arms with distributions: a table has that of its columns")
        from surefoot.problem.score_table import count_rows

        path = str(folder / table["data"])
        return Items(count_rows(path), data=path)
    if "count" in table:
        return Items(whole("count of items", table["count"], at_least=1), (), "", correlation, table.get("digest", ""))
    if "list" not in table:
        return Items(correlation=correlation, season=table.get("season", 0))
    given = table["list"]
    if isinstance(given, str):
        given = [line.strip() for line in read_text(folder / given, "list of items must name").split("\n")]
        given = [line for line in given if line]
    if not isinstance(given, list):
        raise InvalidValue(f'list of items must be a file with one per line, such as "prompts.txt", got {given!r}')
    found = listed(given)
    return Items(found.count, found.names, "", correlation)


def digest_of(names: Sequence[str]) -> str:
    from hashlib import sha256

    return sha256("\n".join(names).encode()).hexdigest()[:32]
