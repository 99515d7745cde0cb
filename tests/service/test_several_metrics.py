"""Several metrics over HTTP, by the client and on the page."""

import random

import pytest

from surefoot import Study, connect
from surefoot.errors import InvalidValue

FIELDS = {
    "goal": "max mean(accuracy)",
    "metrics": {"accuracy": "binary", "latency": "any", "cost": {"range": [0, 20], "clip": True}},
    "limits": ["quantile(0.9, latency) <= 2", {"limit": "mean(cost) <= 9", "slack": 0.5}],
    "delta": 0.2,
}
ARMS = {"quick": (0.3, 1.0), "good": (0.9, 1.5), "slow": (0.99, 30.0)}
ONE = "/api/studies/models"


def result(arm, generator):
    right, latency = ARMS[arm]
    return {
        "accuracy": generator.random() < right,
        "latency": latency * generator.random(),
        "cost": 8 * generator.random(),
    }


@pytest.fixture
def models(http):
    answer = http.post("/api/studies", json={"name": "models", "arms": list(ARMS), **FIELDS})
    assert answer.status_code == 201, answer.text
    return http


def test_a_study_from_its_creation_to_its_decision(models, storage):
    generator = random.Random(1)
    asked = models.post(f"{ONE}/ask", json={"count": 3}).json()
    while not asked["decided"]:
        results = [{"pull": pull["id"], "values": result(pull["arm"], generator)} for pull in asked["pulls"]]
        asked = models.post(f"{ONE}/exchange", json={"results": results, "count": 3}).json()
    found = models.get(ONE).json()
    assert (found["decision"]["status"], found["decision"]["answer"]) == ("best", ["good"])
    assert found["problem"]["metrics"]["latency"] == {"any": True}
    assert [limit["limit"] for limit in found["limits"]] == ["quantile(0.9, latency) <= 2", "mean(cost) <= 9"]
    assert found["limit"] is None
    assert found["recent"][0]["values"].keys() == FIELDS["metrics"].keys()
    assert found["decision"]["sentence"] == str(Study.open(storage, "models").decision)
    heads = models.get(f"{ONE}/results.csv").text.splitlines()[0]
    assert heads == "pull,arm,accuracy,latency,cost,counted,worker,time"


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"reward": 0.5}, "must have a number for each of 'accuracy', 'latency', 'cost', got 0.5"),
        ({"values": {"accuracy": 1}}, "got 'latency' and 'cost' missing"),
        ({"values": {"accuracy": 1, "latency": 1, "cost": 1, "x": 1}}, "got 'x' besides"),
        ({"values": {"accuracy": 2, "latency": 1, "cost": 1}}, "accuracy of a result of arm"),
        ({}, "a result must have a reward, or values, or say why the pull failed, got none of them"),
        ({"reward": 1, "values": {"accuracy": 1}}, "got reward and values"),
    ],
)
def test_a_batch_is_taken_whole_or_not_at_all(models, told, sentence):
    first, second = models.post(f"{ONE}/ask", json={"count": 2}).json()["pulls"]
    good = {"pull": first["id"], "values": {"accuracy": 1, "latency": 1.0, "cost": 1.0}}
    answer = models.post(f"{ONE}/tell", json={"results": [good, {"pull": second["id"], **told}]})
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert models.get(ONE).json()["pulls"] == 0


def test_results_that_nobody_asked_for(models):
    values = {"accuracy": True, "latency": 1.0, "cost": 25.0}
    assert models.post(f"{ONE}/record", json={"results": [{"arm": "good", "values": values}]}).status_code == 200
    found = models.get(ONE).json()
    assert (found["pulls"], [arm["clipped"] for arm in found["arms"]]) == (1, [0, 1, 0])
    assert found["warnings"][0]["kind"] == "clipped"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"goal": "max"}, "goal must name one of the metrics"),
        ({"limits": ["variance(latency) <= 1"]}, "variance(latency) cannot be limited, as latency has no range"),
        ({"limits": ["quantile(0.9, latency) < 1"]}, "must have `<=` or `>=` at character 24"),
        ({"rewards": [0, 1]}, "a problem must give rewards or metrics, got both"),
        ({"metrics": {"x": [1, 0]}, "goal": "max", "limits": []}, "the upper end of x must be a number above 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(http, fields, sentence):
    answer = http.post("/api/studies", json={"name": "models", "arms": list(ARMS), **FIELDS, **fields})
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert http.get("/api/studies").json()["studies"] == []


def test_the_client_has_the_study_that_one_here_is(url):
    there = connect(url, name="models", arms=list(ARMS), **FIELDS)
    here = Study(list(ARMS), **FIELDS)
    for study in (there, here):
        generator = random.Random(3)
        while not study.decided:
            for pull in study.ask(4):
                study.tell(pull, result(pull.arm, generator))
    assert there.problem == here.problem
    assert there.decision == here.decision
    assert str(there.table()) == str(here.table())
    assert [row.result for row in there.results()] == [row.result for row in here.results()]
    with pytest.raises(InvalidValue):
        there.record("good", {"accuracy": 7, "latency": 1, "cost": 1})
