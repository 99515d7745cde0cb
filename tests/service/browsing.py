"""The page in a real Chromium: what its tests share."""

import os
import shutil

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
NASTY = "<img src=x onerror=alert(1)> & 'co'"
REWARDS = {"low": 0.3, NASTY: 0.5, "high": 0.8}
needs_chromium = pytest.mark.skipif(
    not os.path.exists(CHROMIUM), reason="there is no Chromium here: apt-get install chromium"
)
expect = sync_api.expect
expect.set_options(timeout=30_000)


def feed(study, pulls=None):
    """Tell rewards until the study is decided, or so many."""
    while not study.decided and (pulls is None or study.pulls < pulls):
        asked = study.ask(8)
        study.tell_all([(pull, REWARDS[pull.arm] + (0.05 if pull.id % 2 else -0.05)) for pull in asked])


def create(page, url, name=NASTY, **fields):
    page.goto(url)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Arms").fill("\n".join(REWARDS))
    for label, value in fields.items():
        page.get_by_label(label).fill(value)
    page.get_by_role("button", name="Create").click()


def overflow(page):
    """By how much the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
