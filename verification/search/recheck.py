"""A bound that seems to have failed too often is watched again: of thousands of counts, chance makes some look bad."""

from typing import Any, NamedTuple

from verification.search.combinations import Combination
from verification.search.effort import Effort
from verification.search.single_bound import SingleBound

TIMES = 10  # as many paths, all of them fresh: they alone are judged


class Recheck(NamedTuple):
    """The task of watching it on the same arm."""

    first: SingleBound

    @property
    def name(self) -> str:
        return f"again, {TIMES} times the paths · {self.first.name}"

    @property
    def combination(self) -> Combination:
        return self.first.combination

    def run(self, effort: Effort, seed: int) -> dict[str, Any]:
        more = effort._replace(paths=tuple((TIMES * paths, pulls) for paths, pulls in effort.paths))
        return self.first.run(more, seed) | {"recheck": True}
