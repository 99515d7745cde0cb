"""Rounds on the page, in a real Chromium."""

from surefoot import Study
from tests.service.browsing import expect, needs_chromium

pytestmark = needs_chromium


def test_a_study_in_rounds_from_the_form_to_its_results(page, url, storage):
    page.goto(url)
    page.get_by_label("Name").fill("drifting")
    page.get_by_label("Arms").fill("old\nnew")
    page.get_by_label("Limit on the risk").fill("none")
    page.get_by_text("The same items for every arm, or rounds").click()
    page.get_by_label("Design").select_option("rounds")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#items")).to_contain_text("are tried together, in rounds")
    expect(page.locator("#facts")).to_contain_text("Designrounds")
    expect(page.locator("#snippets")).to_contain_text("measure(pull.arm)")
    study = Study.open(storage, "drifting")
    for _ in range(3):
        for pull in study.ask():
            study.tell(pull, {"old": 0.4, "new": 0.6}[pull.arm])
    expect(page.locator("#recent-arm")).to_have_text("Arm and round")
    expect(page.locator("#recent .item")).to_have_text(["2", "2", "1", "1", "0", "0"])
    expect(page.locator("#plane .ytitle")).to_have_text("mean reward in rounds (higher is better)")
    assert page.wrong == []
