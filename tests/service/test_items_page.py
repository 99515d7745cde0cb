"""Items on the page, in a real Chromium: the form, the results and what they were tried on."""

from surefoot import Study
from tests.service.browsing import NASTY, expect, needs_chromium, overflow

pytestmark = needs_chromium
FILES = [NASTY, *(f"a rather long name of a folder/and of a file {number}.txt" for number in range(39))]
MEANS = {"quick": 0.7, "thorough": 0.8}


def tell(study, most):
    """Results that differ little between arms and much between items."""
    while not study.decided and study.pulls < most:
        for pull in study.ask():
            study.tell(pull, MEANS[pull.arm] - 0.5 * (FILES.index(pull.item) % 3) / 2)


def fill(page, url, items):
    page.goto(url)
    page.get_by_label("Name").fill("files")
    page.get_by_label("Arms").fill("\n".join(MEANS))
    page.get_by_label("Limit on the risk").fill("none")
    page.get_by_text("The same items for every arm").click()
    page.get_by_label("Items", exact=True).fill(items)


def test_a_study_on_a_list_from_the_form_to_its_results(page, url, storage, tmp_path):
    fill(page, url, "\n".join(FILES))
    page.screenshot(path=tmp_path / "form.png", full_page=True)
    expect(page.get_by_label("Design")).to_have_value("items")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#items")).to_have_text(
        "All arms are tried on the same 40 items, in one random order. The arm that is furthest has results on 0 of the 40."
    )
    study = Study.open(storage, "files")
    assert study.problem.items.names == tuple(FILES)
    tell(study, 30)
    expect(page.locator("#items")).to_contain_text("has results on 15 of the 40.")
    expect(page.locator("#recent-arm")).to_have_text("Arm and item")
    rows = study.results()[-1:-13:-1]
    expect(page.locator("#recent .item")).to_have_text([str(row.item) for row in rows])
    expect(page.locator("#plane .ytitle")).to_have_text("mean reward on the same items (higher is better)")
    expect(page.locator("#snippets")).to_contain_text("measure(pull.arm, pull.item)")
    expect(page.locator("#facts")).to_contain_text("Items40")
    page.screenshot(path=tmp_path / "study.png", full_page=True)
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) <= 0
    page.screenshot(path=tmp_path / "phone.png", full_page=True)
    assert page.wrong == []


def test_a_number_of_items_and_an_endless_stream(page, url, storage):
    fill(page, url, "1438")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#items")).to_contain_text("the same 1,438 items")
    assert Study.open(storage, "files").problem.items.count == 1438
    fill(page, url, "1")
    page.get_by_label("Items", exact=True).fill("")
    page.get_by_label("Name").fill("stream")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#items")).to_have_text(
        "All arms are tried on the same items, an endless stream. The arm that is furthest has results on 0 items."
    )
    assert Study.open(storage, "stream").problem.items.count is None
    assert page.wrong == []


def test_what_is_wrong_with_items_is_said_at_their_field(page, url):
    fill(page, url, "0")
    page.get_by_role("button", name="Create").click()
    error = page.locator(".field", has=page.locator("#items")).get_by_role("alert")
    expect(error).to_have_text("items must be a whole number of at least 1, got 0")
    expect(page.locator("#items")).to_be_focused()


def test_independent_arms_have_no_word_of_items(page, url, storage):
    study = Study.open(storage, "s", list(MEANS))
    study.record("quick", 0.5)
    page.goto(f"{url}/studies/s")
    expect(page.locator("#recent tr")).to_have_count(1)
    expect(page.locator("#items")).to_be_hidden()
    expect(page.locator("#recent-arm")).to_have_text("Arm")
    expect(page.locator("#recent .item")).to_have_count(0)
    expect(page.locator("#plane .ytitle")).to_have_text("mean reward (higher is better)")
    expect(page.locator("#snippets")).to_contain_text("measure(pull.arm))")


def test_a_finite_list_from_the_form(page, url, storage):
    fill(page, url, "\n".join(FILES))
    page.get_by_label("The answer is about").select_option("finite")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#items")).to_contain_text("The answer is about exactly these items, each tried once.")
    study = Study.open(storage, "files")
    assert study.problem.items.finite
    tell(study, 80)
    assert study.decision.arm == "thorough"
    expect(page.locator("#decision")).to_contain_text("of one trial of each arm on each of these 40 items")
    assert page.wrong == []
