"""docs/images/report.png: the demo's page as a visitor first sees it, in a headless Chromium."""

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from partwise.cli.demo import TITLE
from partwise.datasets.standard_library import load_standard_library
from partwise.report import write_report
from partwise.text import TopicModel

TARGET = Path(__file__).parent / "images" / "report.png"


def main() -> None:
    """Fit, write, open, take the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = write_report(TopicModel(20).fit(load_standard_library()), Path(folder, "demo.html"), title=TITLE)
        chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=chromium, args=root)
        page = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme="light")
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
        page.locator(".picker label").nth(4).click()
        page.mouse.move(0, 0)
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        page.wait_for_timeout(500)
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
