"""Limits against a baseline over HTTP and by the client."""

import pytest

from surefoot import Study
from tests.service.browsing import expect, needs_chromium

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
        ({"policy": "va-uniform"}, "policy 'va-lucb' or 'successive-elimination' or 'top-two' would work"),
    ],
)
def test_what_cannot_be_is_refused(http, change, words):
    answer = http.post("/api/studies", json=FIELDS | change)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


@needs_chromium
def test_the_form_takes_a_baseline_and_the_page_shows_differences_to_it(page, url, storage):
    page.goto(url)
    page.get_by_text("Several metrics or limits").click()
    page.get_by_label("Limits", exact=True).fill("mean >= baseline - 0.1")
    page.get_by_label("Name").fill("models")
    page.get_by_label("Arms").fill("current\nnew")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#limits-error")).to_contain_text("needs a baseline: say which arm that is")
    page.get_by_label("Baseline").fill("old")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#baseline-error")).to_contain_text("baseline must be the name of an arm, got 'old'")
    page.get_by_label("Baseline").fill("current")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#facts")).to_contain_text("Baselinecurrent")
    study = Study.open(storage, "models")
    assert study.problem.baseline == "current"
    study.record_all([(name, reward) for name, reward in (("current", 0.5), ("new", 0.75)) for _ in range(8)])
    heads = ["Arm", "Pulls", "Mean", "Interval of the mean", "mean less baseline", "Interval of the mean less baseline"]
    expect(page.locator("#arms thead th")).to_have_text([*heads, "Verdict"])
    expect(page.locator("#arms tbody tr", has_text="new").locator("td").nth(3)).to_have_text("0.250")
    expect(page.locator("#plane .xtitle")).to_have_text("mean less baseline")
    expect(page.locator("#plane .points path.point")).to_have_count(1)  # the baseline has no difference to itself
    assert [wrong for wrong in page.wrong if "422" not in wrong] == []
