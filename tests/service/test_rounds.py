"""Rounds over HTTP and from the client."""

import pytest

from surefoot import Study, connect
from surefoot.errors import InvalidValue


def play(study):
    asked = []
    while not study.decided:
        for pull in study.ask():
            asked.append(pull)
            study.tell(pull, {"a": 0.9, "b": 0.5, "c": 0.1}[pull.arm] * (pull.item % 3) / 2)
    return asked


def test_the_same_rounds_and_the_same_decision_as_here(url):
    here = Study(["a", "b", "c"], design="rounds", seed=2)
    there = connect(url, name="s", arms=["a", "b", "c"], design="rounds", seed=2)
    assert play(here) == play(there)
    assert there.decision == here.decision
    assert (there.problem.design, there.problem.items) == ("rounds", here.problem.items)
    with pytest.raises(InvalidValue, match="takes only results of pulls that it asked for"):
        connect(url, name="t", arms=["a", "b"], design="rounds").record("a", 0.5)


def test_no_pull_of_the_next_round_is_handed_out_before_all_of_this_one_are_told(http):
    created = http.post("/api/studies", json={"name": "s", "arms": ["a", "b"], "design": "rounds"})
    assert created.status_code == 201
    pulls = http.post("/api/studies/s/ask", json={"count": 5}).json()["pulls"]
    assert sorted((pull["arm"], pull["item"]) for pull in pulls) == [("a", 0), ("b", 0)]
    first, second = ({"pull": pull["id"], "reward": 0.5} for pull in pulls)
    told = http.post("/api/studies/s/exchange", json={"results": [first], "count": 5})
    assert told.json()["pulls"] == []
    told = http.post("/api/studies/s/exchange", json={"results": [second], "count": 5})
    assert {pull["item"] for pull in told.json()["pulls"]} == {1}
