"""The picture of the page in docs/service.md: `python docs/images/service.py`, with Chromium installed."""

import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from surefoot import connect

MEANS = {"control": 0.42, "steady": 0.58, "bold": 0.74, "slow": 0.30, "mixed": 0.50}
DEVIATIONS = {"control": 0.12, "steady": 0.10, "bold": 0.28, "slow": 0.08, "mixed": 0.15}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-m", "surefoot", "serve", "--db", f"{folder}/studies.db", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = re.search(r"http://\S+", server.stdout.readline())[0]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            study = connect(url, name="doses, spring trial", arms=list(MEANS), risk="variance <= 0.04", lease=600)
            generator = random.Random(2)
            while not study.decided:
                for pull in study.ask(10):
                    reward = generator.gauss(MEANS[pull.arm], DEVIATIONS[pull.arm])
                    study.tell(pull, min(max(reward, 0.0), 1.0))
            page = browser.new_page(viewport={"width": 1120, "height": 900})
            page.goto(f"{url}/studies/doses~2c~20spring~20trial")
            page.wait_for_selector("#plane .points path")
            page.wait_for_timeout(1_000)
            page.screenshot(path=Path(__file__).with_suffix(".png"))
        finally:
            browser.close()
            server.terminate()
            server.wait()


main()
