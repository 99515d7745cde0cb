"""The page when something fails: it says what, keeps what it knew, and tries again by itself."""

import pytest

from surefoot import Study, connect
from surefoot.errors import StorageFailed
from tests.service.browsing import REWARDS, expect, feed, needs_chromium
from tests.service.faulty import Faulty
from tests.service.serving import served

pytestmark = needs_chromium

LOCKED = "sqlite:///secret.db could not be used: database is locked"
AGAIN = "This page tries again by itself."


@pytest.fixture
def faulty(tmp_path):
    storage = Faulty(tmp_path / "faulty.db")
    Study.open(storage, "s", list(REWARDS), risk="variance <= 0.04")
    return storage


def test_a_storage_that_fails_for_a_while_is_said_and_waited_for(page, faulty, tmp_path):
    with served(faulty) as url:
        page.goto(f"{url}/studies/s")
        expect(page.locator("#link")).to_have_text("live")
        page.evaluate("window.sameDocument = true")
        faulty.error = StorageFailed(LOCKED)
        expect(page.locator("#trouble")).to_contain_text("The storage could not be used")
        expect(page.locator("#trouble")).to_contain_text(AGAIN)
        expect(page.locator("#link")).to_have_text("not up to date")
        expect(page.locator("#arms tbody tr")).to_have_count(3)  # what was known stays
        page.screenshot(path=tmp_path / "trouble.png", full_page=True)
        assert "secret" not in page.content()
        faulty.error = None
        expect(page.locator("#link")).to_have_text("live")
        expect(page.locator("#trouble")).to_have_text("")
        feed(connect(url, name="s"))
        expect(page.locator("#decision")).to_contain_text("high is best")
        assert page.evaluate("window.sameDocument")
    assert all("ERR_" in message or "503" in message for message in page.wrong)


@pytest.mark.parametrize(("path", "place"), [("/studies/s", "#trouble"), ("/", "#list-note")])
def test_a_page_opened_while_the_storage_fails_comes_up_once_it_does_not(page, faulty, path, place, tmp_path):
    with served(faulty) as url:
        faulty.error = StorageFailed(LOCKED)
        page.goto(f"{url}{path}")
        expect(page.locator(place)).to_contain_text("storage could not be used")
        expect(page.locator(place)).to_contain_text(AGAIN)
        page.screenshot(path=tmp_path / "opened.png", full_page=True)
        faulty.error = None
        expect(page.locator("#arms tbody tr" if path != "/" else "#list tbody tr")).to_have_count(
            3 if path != "/" else 1
        )
        expect(page.locator(place)).to_have_text("")
    assert all("ERR_" in message or "503" in message for message in page.wrong)


@pytest.mark.parametrize("path", ["/studies/s", "/"])
def test_a_service_that_goes_away_and_comes_back_is_waited_for(page, process, path):
    study = connect(process.url, name="s", arms=list(REWARDS), risk="variance <= 0.04")
    place = "#trouble" if path != "/" else "#list-note"
    page.goto(f"{process.url}{path}")
    expect(page.locator("#arms tbody tr" if path != "/" else "#list tbody tr").first).to_be_visible()
    process.kill()
    expect(page.locator(place)).to_contain_text("he service does not answer")
    expect(page.locator(place)).to_contain_text(AGAIN)
    process.start()
    expect(page.locator(place)).to_have_text("")
    feed(study)
    expect(page.locator("#decision" if path != "/" else "#list")).to_contain_text("high")
    assert all("ERR_" in message for message in page.wrong)


def test_the_documentation_and_the_choices_wait_for_the_service_too(page, url):
    page.route("**/openapi.json", lambda route: route.abort())
    page.goto(f"{url}/docs")
    expect(page.locator("#about")).to_have_text(f"The service does not answer. {AGAIN}")
    page.unroute("**/openapi.json")
    expect(page.locator("#operations")).to_contain_text("/api/studies/{identity}/ask")
    page.route("**/openapi.json", lambda route: route.abort())
    page.goto(url)
    page.get_by_text("More settings").click()
    expect(page.locator("#choices-note")).to_have_text(f"The service does not answer. {AGAIN}")
    page.unroute("**/openapi.json")
    page.get_by_label("Policy").select_option("va-lucb")
    expect(page.locator("#choices-note")).to_have_text("")
    assert all("ERR_" in message for message in page.wrong)


def test_a_damaged_journal_is_said_and_not_called_deleted(page, url, storage):
    Study.open(storage, "s", list(REWARDS))
    page.goto(f"{url}/studies/s")
    expect(page.locator("#link")).to_have_text("live")
    change = "UPDATE surefoot_studies SET position = position {} 7"
    storage.write(lambda connection: connection.exec_driver_sql(change.format("+")))
    expect(page.locator("#trouble")).to_contain_text("The journal of the study 's' is damaged and cannot be read")
    expect(page.locator("#link")).to_have_text("not up to date")
    storage.write(lambda connection: connection.exec_driver_sql(change.format("-")))  # put back from a copy, say
    expect(page.locator("#link")).to_have_text("live")
    assert all("500" in message for message in page.wrong)


def test_a_study_deleted_by_others_is_said_and_one_of_the_same_name_is_shown(page, url, storage):
    Study.open(storage, "s", list(REWARDS))
    page.goto(f"{url}/studies/s")
    expect(page.locator("#link")).to_have_text("live")
    storage.delete("s")
    expect(page.locator("#link")).to_have_text("deleted")
    expect(page.locator("#sentence")).to_have_text("This study was deleted.")
    expect(page.locator("#trouble")).to_have_text("")
    Study.open(storage, "s", ["x", "y"])
    page.reload()
    expect(page.locator("#link")).to_have_text("live")
    with storage.engine.connect() as connection:  # at once, so that the page never finds the name free
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        connection.exec_driver_sql("UPDATE surefoot_studies SET name = 'old' WHERE name = 's'")
        connection.commit()
    Study.open(storage, "s", ["p", "q", "r", "t"], risk="variance <= 0.04")
    storage.delete("old")
    expect(page.locator("#arms tbody tr")).to_have_count(4)
    expect(page.locator("#arms thead th")).to_have_count(7)
    assert all("404" in message for message in page.wrong)
