"""Events as rows: the body is the JSON that every version wrote, whichever way it is made."""

import json
import math

import pytest

from surefoot.storage import rows

TOLD = {"type": "told", "time": 1.5, "pull": 3}


@pytest.mark.parametrize("reward", [0.5, -0.0, 1e-320, 0.1 + 0.2, 1e22, 5e-324, 1.7976931348623157e308])
@pytest.mark.parametrize("more", [{}, {"late": True}, {"failed": "too\nlate: ü"}])
def test_a_reward_is_written_as_json_has_it(reward, more):
    event = {**TOLD, "reward": reward, **more}
    (row,) = rows.to_rows([event], 6, b"before")
    plain = json.dumps({"reward": reward, **more}, separators=(",", ":"), ensure_ascii=False)
    assert row[:-1] == (7, 1.5, "told", 3, None, plain)
    assert rows.to_event(row, 7, b"before") == event
    assert math.copysign(1.0, rows.to_event(row, 7, b"before")["reward"]) == math.copysign(1.0, reward)


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf])
def test_what_json_cannot_hold_is_not_written(reward):
    with pytest.raises(ValueError, match="not JSON compliant"):
        list(rows.to_rows([{**TOLD, "reward": reward}], 6, b"before"))


def test_rows_that_are_made_together_are_those_made_one_by_one():
    events = [
        {**TOLD, "time": time, "pull": pull, "reward": 0.5} for pull, time in enumerate((1.5, 1.5, 2.5, -0.0, 0.0, 1.5))
    ]
    together, digest = list(rows.to_rows(events, 6, b"before")), b"before"
    for position, (event, row) in enumerate(zip(events, together, strict=True), 7):
        assert [row] == list(rows.to_rows([event], position - 1, digest))
        assert rows.to_event(row, position, digest) == event
        digest = row[-1]
