"""Limits against a baseline over HTTP and by the client."""

import pytest

FIELDS = {
    "name": "models",
    "arms": ["current", "new"],
    "goal": "max mean(accuracy)",
    "metrics": {"accuracy": "binary", "latency": [0, 10]},
    "limits": ["mean(latency) <= 1.02 * baseline + 1"],
    "baseline": "current",
    "delta": 0.2,
}
ONE = "/api/studies/models"


def test_a_study_from_its_creation_to_its_decision(http):
    assert http.post("/api/studies", json=FIELDS).status_code == 201
    asked, latency = http.post(f"{ONE}/ask", json={}).json(), {"current": 4.0, "new": 4.5}
    while not asked["decided"]:
        results = [
            {"pull": pull["id"], "values": {"accuracy": pull["arm"] == "new", "latency": latency[pull["arm"]]}}
            for pull in asked["pulls"]
        ]
        asked = http.post(f"{ONE}/exchange", json={"results": results}).json()
    found = http.get(ONE).json()
    assert found["decision"]["answer"] == ["new"]
    current, new = sorted(found["arms"], key=lambda arm: arm["name"])
    assert current["limits"][0]["value"] is None
    assert new["limits"][0]["limit"] == "mean(latency) <= 1.02 * baseline + 1"
    assert new["limits"][0]["value"] == pytest.approx(4.5 - 1.02 * 4.0)
    assert new["limits"][0]["lower"] < 0.42 < new["limits"][0]["upper"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"baseline": None}, "needs a baseline: say which arm that is"),
        ({"baseline": "old"}, "baseline must be the name of an arm, got 'old'"),
        ({"policy": "va-lucb"}, "policy 'top-two' would work"),
    ],
)
def test_what_cannot_be_is_refused(http, change, words):
    answer = http.post("/api/studies", json=FIELDS | change)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
