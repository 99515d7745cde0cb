import httpx
import pytest

from surefoot.storage import connect
from tests.service.serving import Process, served


@pytest.fixture
def storage(tmp_path):
    return connect(tmp_path / "studies.db")


@pytest.fixture
def url(storage):
    with served(storage) as url:
        yield url


@pytest.fixture
def http(url):
    with httpx.Client(base_url=url, timeout=30) as client:
        yield client


@pytest.fixture
def process(tmp_path):
    """A service that can be killed and started again."""
    process = Process(tmp_path / "studies.db", tmp_path / "log")
    yield process
    if process.process.poll() is None:
        process.kill()


@pytest.fixture(scope="module")
def browser():
    from tests.service.browsing import ARGUMENTS, CHROMIUM, sync_api  # only where there is playwright

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A page that must log nothing, fail nowhere and fetch nothing from elsewhere."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(30_000)
    page.wrong = []
    page.on(
        "console", lambda message: page.wrong.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("dialog", lambda dialog: page.wrong.append(f"dialog {dialog.message}") or dialog.dismiss())
    page.on("request", lambda request: page.wrong.append(request.url) if "//127.0.0.1:" not in request.url else None)
    yield page
    page.close()
