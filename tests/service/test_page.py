"""The page, in a real Chromium."""

import pytest

from surefoot import Study, connect
from surefoot.service.access import FRESH
from surefoot.storage import tokens
from tests.service.browsing import NASTY, REWARDS, create, expect, feed, needs_chromium, overflow
from tests.service.serving import served

pytestmark = needs_chromium


def test_a_study_from_the_form_to_the_decision_without_a_reload(page, url, tmp_path):
    create(page, url)
    expect(page.get_by_role("heading", level=1)).to_have_text(NASTY)
    expect(page.locator("#link")).to_have_text("live")
    page.evaluate("window.sameDocument = true")
    study = connect(page.url)
    feed(study, pulls=24)
    expect(page.locator("#recent tr")).to_have_count(12)
    expect(page.locator("#sentence")).to_contain_text("Undecided after")
    expect(page.locator("#forecast")).to_contain_text("to a decision")
    expect(page.locator("#plane .points path.point")).to_have_count(3)
    page.screenshot(path=tmp_path / "running.png", full_page=True)
    feed(study)
    expect(page.get_by_role("status").filter(has_text="high is best")).to_be_visible()
    expect(page.locator("#link")).to_have_text("ended")
    expect(page.locator("#arms tr.best th")).to_have_text("high")
    expect(page.locator("#arms tr.out")).to_have_count(2)
    expect(page.locator("#close")).to_be_disabled()
    assert page.evaluate("window.sameDocument")
    page.screenshot(path=tmp_path / "decided.png", full_page=True)

    drawn = page.locator("#plane")
    expect(drawn.locator(".textpoint", has_text="high")).to_be_visible()
    expect(drawn.locator(".textpoint", has_text="<img src=x onerror")).to_be_visible()  # as text
    assert page.locator("img").count() == 0
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=tmp_path / "dark.png", full_page=True)
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) <= 0
    page.screenshot(path=tmp_path / "phone.png", full_page=True)
    page.get_by_role("link", name="Studies").click()
    expect(page.locator("#list tbody tr")).to_contain_text("decided: high")
    assert overflow(page) <= 0
    assert page.wrong == []


def test_a_hasty_user_gets_the_defaults(page, url, storage):
    """The choices of policies come a little later than the form."""
    page.route("**/openapi.json", lambda route: None)  # never
    create(page, url)
    expect(page.locator("#facts")).to_contain_text("top-two")
    assert page.wrong == []


def test_what_the_service_refuses_is_said_at_the_field(page, url):
    create(page, url, Delta="1.5")
    error = page.locator(".field", has=page.locator("#delta")).get_by_role("alert")
    expect(error).to_have_text("delta must be in (0, 1), got 1.5")
    expect(page.locator("#delta")).to_be_focused()
    expect(page.locator("#delta")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Delta").fill("0.1")
    page.get_by_label("Limit on the risk").fill("luck")
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".field", has=page.locator("#risk")).get_by_role("alert")).to_contain_text(
        "must have `variance`"
    )
    expect(error).to_have_count(0)
    page.get_by_label("Limit on the risk").fill("none")
    page.get_by_text("More settings").click()
    page.get_by_label("Policy").select_option("successive-elimination")
    page.get_by_label("Lease, in seconds").fill("30")
    page.get_by_label("Maximum pulls").fill("500")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#facts")).to_contain_text("successive-elimination")
    expect(page.locator("#facts")).to_contain_text("30 s")
    assert all("422" in message for message in page.wrong)  # the browser's own words for an answer that is a refusal


def test_the_table_sorts_by_keyboard_and_says_so(page, url, storage):
    study = Study.open(storage, "s", list(REWARDS), risk="variance <= 0.04")
    study.record_all([("low", 0.1), ("high", 0.9), ("high", 0.7), (NASTY, 0.5)])
    page.goto(f"{url}/studies/s")
    names = page.locator("#arms tbody th")
    expect(names.first).to_have_text("high")
    mean = page.locator("th[data-column=mean]")
    mean.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(mean).to_have_attribute("aria-sort", "descending")
    expect(names).to_have_text(["high", NASTY, "low"])
    page.keyboard.press("Enter")
    expect(mean).to_have_attribute("aria-sort", "ascending")
    expect(names).to_have_text(["low", NASTY, "high"])
    page.reload()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    assert page.wrong == []


def test_an_eliminated_arm_tells_why_on_hover(page, url, storage):
    study = Study.open(storage, "s", list(REWARDS), risk="variance <= 0.04")
    feed(study)
    page.goto(f"{url}/studies/s")
    page.locator("#plane .points path.point").first.hover(force=True)
    low = study.table()[0]
    assert low.words not in ("", "open")
    expect(page.locator("#plane .hoverlayer")).to_contain_text(low.words[:30])
    assert page.wrong == []


def test_warnings_are_shown_as_they_come(page, url, storage):
    study = Study.open(storage, "w", ["A", "B"])
    page.goto(f"{url}/studies/w")
    expect(page.locator("#sentence")).to_contain_text("Undecided")
    expect(page.locator("#warnings")).to_be_hidden()
    study.record_all([("A", 0.2 if n < 300 else 0.8) for n in range(600)])
    expect(page.locator("#sentence")).to_contain_text(study.warnings[0].sentence)
    expect(page.locator("#warnings li")).to_have_text([study.warnings[1].sentence])
    assert page.wrong == []


def test_the_token_is_asked_for_once(page, storage):
    write, read = tokens.create(storage, "w"), tokens.create(storage, "r", "read")
    Study.open(storage, "s", list(REWARDS))
    with served(storage) as url:
        page.goto(f"{url}/studies/s")
        page.get_by_role("textbox", name="Token").fill("wrong")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("this token does not exist")).to_be_visible()
        page.get_by_role("textbox", name="Token").fill(read)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#link")).to_have_text("live")
        page.reload()
        expect(page.locator("#link")).to_have_text("live")
        expect(page.locator("#snippets")).to_contain_text("$SUREFOOT_TOKEN")
        assert read not in page.content()
        page.get_by_role("button", name="Close the study").click()
        page.get_by_role("button", name="Close it").click()
        expect(page.locator("#manage-error")).to_have_text("this token may only read")
        feed(connect(url, write, "s"))  # seen live all the same
        expect(page.locator("#decision")).to_contain_text("high is best")
        tokens.revoke(storage, "r")
        page.wait_for_timeout(1e3 * FRESH + 200)
        page.reload()
        expect(page.get_by_text("this token was revoked")).to_be_visible()
    assert all("401" in message or "403" in message for message in page.wrong if "ERR_" not in message)


def test_deleting_a_study_asks_first(page, url, storage):
    Study.open(storage, "s", list(REWARDS))
    page.goto(f"{url}/studies/s")
    page.get_by_role("button", name="Delete the study").click()
    page.get_by_role("button", name="Keep it").click()
    assert len(storage.studies()) == 1
    page.get_by_role("button", name="Delete the study").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete it").click()
    expect(page.locator("#list-note")).to_contain_text("There is no study yet")
    assert storage.studies() == []


def test_ten_thousand_arms(page, url, storage):
    names = [f"arm {index}" for index in range(10_000)]
    study = Study.open(storage, "s", names, risk="variance <= 0.04")
    study.record_all([(name, 0.25 + (index % 100) / 200) for index, name in enumerate(names)] * 2)
    page.goto(f"{url}/studies/s")
    expect(page.locator("#arms-note")).to_contain_text("200 of 10,000 arms are shown")
    expect(page.locator("#arms tbody tr")).to_have_count(200)
    expect(page.locator("#plane .points path.point")).to_have_count(200)
    assert page.wrong == []


def test_a_study_that_is_not_there(page, url):
    page.goto(f"{url}/studies/nothing")
    expect(page.get_by_role("heading", level=1)).to_have_text("No such study")
    expect(page.locator("#sentence")).to_contain_text("there is no study 'nothing'")
    expect(page.get_by_role("heading", level=2).filter(visible=True)).to_have_count(0)


def test_a_quantile_can_be_told_from_its_limit_and_lies_in_its_interval(page, url, storage):
    study = Study.open(storage, "s", ["A", "B"], risk="quantile(0.5) <= 50", rewards=(0, 2000))
    study.record_all([("A", 50.004)] * 200)
    row = study.table()[0]
    assert row.risk == pytest.approx(50.004)
    page.goto(f"{url}/studies/s")
    cells = page.locator("#arms tbody tr").first.locator("td")
    expect(cells.nth(3)).to_have_text("50.004")
    expect(cells.last).to_have_text("its quantile(0.5) is above 50")
    assert page.wrong == []


def test_the_table_has_the_numbers_that_python_prints(page, url, storage):
    study = Study.open(storage, "s", ["A", "B"], risk="std <= 0.3", rewards=(-1, 2))
    study.record_all([("A", 0.05 + 0.03 * (n % 5)) for n in range(200)] + [("B", 0.01), ("B", 0.02)])
    page.goto(f"{url}/studies/s")
    heads = [
        "Arm",
        "Pulls",
        "Mean",
        "Interval of the mean",
        "standard deviation",
        "Interval of the standard deviation",
        "Verdict",
    ]
    expect(page.locator("#arms thead th")).to_have_text(heads)
    for line, (name, *numbers) in zip(page.locator("#arms tbody tr").all(), study.table().cells(), strict=True):
        expect(line.locator("td")).to_have_text(numbers)
        expect(line).to_have_class("guess" if name.endswith(" *") else "")  # a colour here, a star in a terminal


def test_a_study_without_a_limit_has_no_columns_of_risk_and_long_names_stay_short(page, url, storage):
    long = "a very long name of an arm that says all there is to say about it, " * 20
    study = Study.open(storage, "s", [long, "B"])
    study.record_all([(long, 0.5), ("B", 0.4)] * 3)
    page.goto(f"{url}/studies/s")
    expect(page.locator("#arms thead th")).to_have_text(["Arm", "Pulls", "Mean", "Interval of the mean", "Verdict"])
    expect(page.locator("#arms tbody tr").first.locator("td").last).to_have_text("it may be the best")
    expect(page.locator("#recent tr")).to_have_count(6)
    name = page.locator("#recent .short").filter(has_text="very long").first
    assert name.bounding_box()["height"] < 60
    assert name.get_attribute("title") == long
    assert page.wrong == []


def test_the_documentation_works_offline(page, url):
    page.goto(f"{url}/docs")
    expect(page.locator("#operations")).to_contain_text("/api/studies/{identity}/ask")
    expect(page.locator("#Creation")).to_contain_text("How probable a wrong decision may be")
    assert page.wrong == []


def test_several_limits_have_a_column_each_and_one_of_them_is_drawn(page, url, storage):
    """The answer of the service is given a second limit, and a goal with a name."""
    study = Study.open(storage, "s", list(REWARDS), risk="variance <= 0.04")
    study.record_all([(name, reward + step) for name, reward in REWARDS.items() for step in (-0.05, 0.05)])
    texts = ["variance(accuracy) <= 0.04", "quantile(0.95, latency) <= 2"]

    def several(route):
        answer = route.fetch()
        body = answer.json()
        line = body["limits"][0]
        body["limits"] = [
            line | {"limit": texts[0], "name": "variance(accuracy)", "slack": 0.01},
            line | {"limit": texts[1], "name": "quantile(0.95, latency)", "value": 2.0},
        ]
        metrics = {"accuracy": [0, 1], "latency": {"any": True, "measure": "seconds"}}
        body["problem"] |= {"goal": "max mean(accuracy)", "metrics": metrics}
        body |= {"limit": None, "nearest_limit": 1}
        for result in body["recent"]:
            result |= {"reward": None, "values": {"accuracy": 0.75, "latency": 1.25}}
        for place, arm in enumerate(body["arms"]):
            arm["goal"]["quantity"] = "mean(accuracy)"
            report = {"value": 1.5 + place / 4, "lower": 1.0, "upper": 3.0, "verdict": "open", "evidence": 0.5}
            arm["limits"] = [arm["limits"][0] | {"limit": texts[0]}, report | {"limit": texts[1]}]
            arm |= dict.fromkeys(("mean", "mean_lower", "mean_upper", "risk", "risk_lower", "risk_upper"))
        route.fulfill(response=answer, json=body)

    page.route("**/api/studies/s?arms=*", several)
    page.goto(f"{url}/studies/s")
    expect(page.locator("#question")).to_contain_text(
        f"the largest mean(accuracy) among those with {' and '.join(texts)}?"
    )
    names = ["variance(accuracy)", "quantile(0.95, latency)"]
    limits = [head for text, name in zip(texts, names, strict=True) for head in (text, f"Interval of the {name}")]
    heads = ["Arm", "Pulls", "mean(accuracy)", "Interval of the mean(accuracy)", *limits, "Verdict"]
    expect(page.locator("#arms thead th")).to_have_text(heads)
    expect(page.locator("#plane .xtitle")).to_have_text("quantile(0.95, latency)")
    expect(page.locator("#plane .ytitle")).to_have_text("mean(accuracy) (higher is better)")
    expect(page.locator("#plane .points path.point")).to_have_count(3)
    expect(page.locator("#facts")).to_contain_text("0.01 (variance(accuracy))")
    expect(page.locator("#facts")).to_contain_text("accuracy: 0 to 1; latency: any, measure seconds")
    expect(page.locator("#recent-result")).to_have_text("accuracy · latency")
    expect(page.locator("#recent tr").first).to_contain_text("0.75 · 1.25")
    expect(page.locator("#snippets")).to_contain_text('{"pull": 1, "values": {"accuracy":0.5,"latency":0.5}}')
    chooser = page.get_by_label("Limit that is drawn")
    expect(chooser.locator("option")).to_have_text(texts)
    chooser.select_option(texts[0])
    expect(page.locator("#plane .xtitle")).to_have_text("variance(accuracy)")
    page.locator("#arms thead th button", has_text=texts[1]).first.click()
    expect(page.locator("#arms tbody th").first).to_have_text("high")
    expect(page.locator("#arms tbody tr").first.locator("td").nth(5)).to_have_text("2.00")
    assert overflow(page) <= 0
    assert page.wrong == []


def test_one_limit_needs_no_chooser(page, url, storage):
    Study.open(storage, "s", list(REWARDS), risk="variance <= 0.04")
    page.goto(f"{url}/studies/s")
    expect(page.locator("#arms thead th")).to_have_count(7)
    expect(page.locator("#plane-limit")).to_be_hidden()
    assert page.wrong == []


def test_the_form_takes_several_metrics_and_limits(page, url, storage):
    page.goto(url)
    page.get_by_text("Several metrics or limits").click()
    page.get_by_label("Metrics", exact=True).fill("accuracy = [0, 1]\nlatency = any\ncost = [0,")
    page.get_by_label("Goal", exact=True).last.fill("max mean(accuracy)")
    page.get_by_label("Limits", exact=True).fill("quantile(0.9, latency) <= 2\nmean(cost) <= 9")
    page.get_by_label("Name").fill("models")
    page.get_by_label("Arms").fill("small\nlarge")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#create-error")).to_contain_text("cost must be a range [low, high] or one of")
    page.get_by_label("Metrics", exact=True).fill("accuracy = [0, 1]\nlatency = any\ncost = [0, 20]")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#question")).to_contain_text("the largest mean(accuracy)")
    study = Study.open(storage, "models")
    assert [str(limit) for limit in study.problem.limits] == ["quantile(0.9, latency) <= 2", "mean(cost) <= 9"]
    for latency in (0.5, 1.0, 2.5):
        study.record("small", {"accuracy": 0.5, "latency": latency, "cost": 3.0})
    expect(page.locator("#arms tbody tr").first.locator("td").first).to_have_text("3")
    assert overflow(page) <= 0
    assert [wrong for wrong in page.wrong if "422" not in wrong] == []
