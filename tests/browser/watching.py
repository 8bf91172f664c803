"""Pages in headless Chromium: what they say and ask for, their pictures, their frames, and what
axe-core has to say of them.

A Chromium: the path in FIREBREAK_CHROMIUM, one on the PATH, or Playwright's own. Screenshots go to
FIREBREAK_SCREENSHOTS, or the test's own folder. axe-core: the file that FIREBREAK_AXE names, else
the package of the npm registry, which npm fetches.
"""

import os
import re
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is absent")

NAMES = ("chromium", "chromium-headless-shell", "google-chrome")
AXE = "axe-core@4.14.1"
WIDE, PHONE = (1400, 900), (390, 844)
NPM_S = 120


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    found = [os.environ.get("FIREBREAK_CHROMIUM"), *map(shutil.which, NAMES)]
    path = next((given for given in found if given), None)
    with playwright.sync_playwright() as play:
        try:
            started = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium to start: {str(error).splitlines()[0]}")
        yield started
        started.close()


class Watched:
    """A page with all that it said and asked for."""

    def __init__(self, browser: Any, width: int = 1280, height: int = 800,
                 scheme: str = "light") -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height},
                                     color_scheme=scheme)
        self.said: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def moves(self, what: str, deed: Any) -> float:
        """Does something and waits for the next answer; seconds that it took."""
        body = self.page.locator("body")
        old = body.get_attribute(f"data-{what}") or "0"
        began = time.perf_counter()
        deed()
        self.page.wait_for_selector(f"body[data-{what}]:not([data-{what}='{old}'])")
        return time.perf_counter() - began

    def text(self, where: str) -> str:
        return self.page.inner_text(where)

    def cell(self, cell: int, rows: int, cols: int, side: int = 0) -> tuple[float, float]:
        """Where a cell of the whole map lies: the one map or, while a fire burns, the left one."""
        self.page.locator("#map").focus()
        box = self.page.locator("#map").bounding_box()
        top, foot, gap = (24, 26, 10) if side else (0, 26, 0)
        scale = (box["height"] - top - foot) / rows
        left = (box["width"] - (side + 1) * cols * scale - side * gap) / 2
        row, col = divmod(cell, cols)
        return box["x"] + left + (col + 0.5) * scale, box["y"] + top + (row + 0.5) * scale

    def frames(self, deed: Any) -> str:
        """Milliseconds of the frames that the explorer draws during something, in words."""
        self.page.evaluate("document.getElementById('map').frames.length = 0")
        deed()
        self.page.wait_for_selector("body[data-drawn='1']")
        taken = sorted(self.page.evaluate("document.getElementById('map').frames"))
        assert taken
        return (f"{len(taken)} frames, median {taken[len(taken) // 2]:.1f}, "
                f"95 % {taken[int(0.95 * (len(taken) - 1))]:.1f}, longest {taken[-1]:.1f} ms")

    def sideways(self) -> int:
        """By how much the page is wider than its window."""
        found: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return found


def shot(page: Any, tmp_path: Path, name: str) -> None:
    """A picture of the whole page."""
    folder = Path(os.environ.get("FIREBREAK_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for left in range(2, -1, -1):
        try:
            page.screenshot(path=folder / f"{name}.png", full_page=True)
            return
        except Exception as error:
            # A busy machine: Chromium does not draw a page of many screens in time.
            if not left or "Unable to capture" not in str(error):
                raise
            page.wait_for_timeout(1000)


def number_in(text: str) -> float:
    found = re.search(r"[-−+]?\d+\.\d+", text)
    assert found is not None, text
    return float(found.group().replace("−", "-"))


def axe_source(folder: Path) -> str:
    """The script of axe-core, which is fetched for tests only; skips where it cannot be had."""
    given = os.environ.get("FIREBREAK_AXE")
    if given:
        return Path(given).read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, and FIREBREAK_AXE names no axe.min.js")
    got = subprocess.run([npm, "pack", AXE, "--silent"], cwd=folder, capture_output=True,
                         text=True, timeout=NPM_S, check=False)
    packed = next(folder.glob("axe-core-*.tgz"), None)
    if packed is None:
        pytest.skip(f"npm cannot fetch {AXE}: {got.stderr.strip()[-200:]}")
    with tarfile.open(packed) as archive:
        file = archive.extractfile("package/axe.min.js")
        assert file is not None
        return file.read().decode("utf-8")


def faults(page: Any, source: str) -> list[str]:
    """What axe-core finds serious or critical, a line each."""
    page.evaluate(source)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['impact']}: {one['id']}: {one['nodes'][0]['html'][:120]}"
            for one in found["violations"] if one["impact"] in ("serious", "critical")]
