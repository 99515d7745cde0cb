"""How much work a verification does."""

from typing import NamedTuple

FEWEST = 40  # runs that tell a search anything


class Effort(NamedTuple):
    instances: int  # random ones
    runs: int  # of each of them
    restarts: int  # of the search
    moves: int  # of each restart
    glance: int  # runs by which the search judges a move, if they take 1000 pulls at most
    look: int  # runs by which it judges where a restart ended
    confirmation: int  # fresh runs on the worst instance found
    max_pulls: tuple[int, ...]  # pulls of a run: the first within which enough of them decide
    paths: tuple[tuple[int, int], ...]  # of each bound alone: how many, and how long

    def glances(self, max_pulls: int) -> int:
        """Fewer where a run takes long."""
        return max(self.glance * 1_000 // max(max_pulls, 1_000), FEWEST)


FULL = Effort(
    instances=100,
    runs=100,
    restarts=8,
    moves=28,
    glance=100,
    look=1_000,
    confirmation=10_000,
    max_pulls=(1_000, 3_000, 10_000, 30_000),
    paths=((8_000, 1_000), (500, 20_000), (60, 1_000_000)),
)
QUICK = Effort(
    instances=30,
    runs=20,
    restarts=2,
    moves=14,
    glance=100,
    look=300,
    confirmation=1_000,
    max_pulls=(1_000, 3_000, 10_000),
    paths=((1_000, 1_000),),
)
