"""Items over HTTP and from the client."""

import pytest

from surefoot import Study, connect
from surefoot.errors import InvalidValue

NAMES = [f"=question {number}" for number in range(40)]


def score(pull):
    number = int(str(pull.item).split()[-1])
    return {"a": 0.9, "b": 0.5, "c": 0.1}[pull.arm] * (number % 3) / 2


def play(study):
    asked = []
    while not study.decided:
        for pull in study.ask(3):
            asked.append(pull)
            study.tell(pull, score(pull))
    return asked


@pytest.mark.parametrize("items", [None, 40, NAMES])
def test_the_same_pulls_and_the_same_decision_as_here(url, items):
    here = Study(["a", "b", "c"], design="items", items=items)
    there = connect(url, name="s", arms=["a", "b", "c"], design="items", items=items)
    assert play(here) == play(there)
    assert there.decision == here.decision
    ours, theirs = here.results(), there.results()
    assert [row._replace(time=None) for row in ours] == [row._replace(time=None) for row in theirs]
    assert there.problem.items.count == here.problem.items.count


def test_a_pull_carries_its_item(http):
    body = {"name": "s", "arms": ["a", "b"], "design": "items", "items": ["x", "y"]}
    created = http.post("/api/studies", json=body)
    assert created.status_code == 201
    assert created.json()["problem"]["items"]["count"] == 2
    assert "list" not in created.json()["problem"]["items"]
    (pull,) = http.post("/api/studies/s/ask", json={"count": 1}).json()["pulls"]
    assert pull["item"] in ("x", "y")
    assert http.get("/api/studies/s/pulls").json()["pulls"] == [pull]
    assert http.post("/api/studies/s/tell", json={"results": [{"pull": pull["id"], "reward": 1}]}).status_code == 200
    table = http.get("/api/studies/s/results.csv").text.splitlines()
    assert table[0] == "pull,arm,item,reward,counted,worker,time"
    assert table[1].split(",")[2] == pull["item"]


def test_a_pull_of_independent_arms_has_no_item(http):
    http.post("/api/studies", json={"name": "s", "arms": ["a", "b"]})
    assert http.post("/api/studies/s/ask", json={"count": 1}).json()["pulls"] == [{"id": 1, "arm": "a"}]


def test_a_result_is_recorded_with_its_item(url):
    study = connect(url, name="s", arms=["a", "b"], design="items")
    study.record("a", 0.5, item=0)
    assert study.pulls == 1
    with pytest.raises(InvalidValue, match=r"must be one on item 1, .* got item 0"):
        study.record("a", 0.5, item=0)


@pytest.mark.parametrize("items", [{"list": "/etc/passwd"}, "/etc/passwd", ["x"] * 10_001, 0, [""], {"count": 3}, True])
def test_other_items_are_refused(http, items):
    """A path would be one on the machine of the service."""
    body = {"name": "s", "arms": ["a", "b"], "design": "items", "items": items}
    answer = http.post("/api/studies", json=body)
    assert answer.status_code in (400, 422)
    assert isinstance(answer.json()["detail"], str)
    assert http.get("/api/studies").json()["total"] == 0


def test_a_finite_list_over_http_is_the_one_here(url, http):
    fields = {"design": "items", "items": NAMES, "finite": True}
    here = Study(["a", "b", "c"], **fields)
    there = connect(url, name="s", arms=["a", "b", "c"], **fields)
    assert play(here) == play(there)
    assert there.decision == here.decision
    assert there.problem.items.finite
    seen = http.get("/api/studies/s").json()
    assert seen["problem"]["items"]["finite"] is True
