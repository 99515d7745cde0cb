import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import tournament


@given(
    arms=st.integers(1, 90),
    moves=st.lists(st.tuples(st.integers(0, 89), st.sampled_from([-np.inf, 0.0, 0.25, 1.0, 2.0])), max_size=60),
)
def test_is_argmax_with_ties_to_the_smallest_index(arms, moves):
    rows = tournament.tournament(arms, 1.0)
    values = np.ones(arms)
    for arm, value in moves:
        arm %= arms
        values[arm] = value
        tournament.place(rows, arm, value)
        assert tournament.champion(rows) == (int(np.argmax(values)) if values.max() > -np.inf else -1)
        others = np.where(np.arange(arms) == arm, -np.inf, values)
        assert tournament.runner_up(rows, arm) == (int(np.argmax(others)) if others.max() > -np.inf else -1)


def test_takes_no_more_rows_than_its_levels_need():
    """A level of 4 arms or less begins at row 4, one of 16 at row 8, one of 64 at row 24."""
    for arms, rows in ((1, 8), (4, 8), (5, 16), (16, 24), (17, 44), (64, 88)):
        assert len(tournament.tournament(arms, 0.0)) == 2 * rows
