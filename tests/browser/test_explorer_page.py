"""The explorer in headless Chromium: load, move, click, read the numbers, look at the screenshots.

`pytest -m browser` needs the package playwright and a Chromium: the path in FIREBREAK_CHROMIUM, one
on the PATH, or Playwright's own. Screenshots go to FIREBREAK_SCREENSHOTS, or the test's own folder.
"""

import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firebreak.agent.policy_file import load_policy
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.methods import make_plan
from firebreak.report.explorer.page import static_page
from firebreak.report.explorer.plans import shown_plan
from firebreak.report.explorer.server import Explorer
from firebreak.report.explorer.state import ExplorerState
from serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]
playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is absent")
NAMES = ("chromium", "chromium-headless-shell", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
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

    def __init__(self, browser: Any, width: int = 1280, height: int = 800) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height})
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

    def cell(self, cell: int, side: int = 0) -> tuple[float, float]:
        """A click on a cell of the one map or, while a fire burns, of the left one."""
        self.page.locator("#map").focus()
        box = self.page.locator("#map").bounding_box()
        rows = cols = SIZE
        top, foot, gap = (24, 26, 10) if side else (0, 26, 0)
        scale = (box["height"] - top - foot) / rows
        left = (box["width"] - (side + 1) * cols * scale - side * gap) / 2
        row, col = divmod(cell, cols)
        return box["x"] + left + (col + 0.5) * scale, box["y"] + top + (row + 0.5) * scale


SIZE = 128


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    scene = make_scene(generate(1, SIZE), FireConditions(), 0)
    policy = load_policy()
    state = ExplorerState(scene, budget_share=0.03, plan_fires=128, policy=policy)
    cells = make_plan(scene, 0.03, 128, "dqn", seed=0, policy=policy).cells
    made = Explorer(state, shown_plan(state, "dqn", cells, lambda: None), "seed 0", 1)
    made.pending = ["downstream-value"]
    return made


@pytest.fixture(scope="module")
def url(explorer: Explorer) -> Iterator[str]:
    with serving(explorer) as server:
        yield server.url


def shot(page: Any, tmp_path: Path, name: str) -> None:
    folder = Path(os.environ.get("FIREBREAK_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def number_in(text: str) -> float:
    found = re.search(r"[-−+]?\d+\.\d+", text)
    assert found is not None, text
    return float(found.group().replace("−", "-"))


def test_a_planner_walks_through_the_explorer(browser: Any, explorer: Explorer, url: str,
                                              tmp_path: Path) -> None:
    watched, state = Watched(browser), explorer.state
    page, land = watched.page, state.scene.landscape
    plan = explorer.plans["dqn"]
    seconds = {"ready": watched.moves("state", lambda: page.goto(url))}
    whole = state.outcome(plan.cells)
    assert number_in(watched.text("#reduction")) == pytest.approx(100 * whole.reduction.mean,
                                                                  abs=0.051)
    shot(page, tmp_path, "explorer-1-plan")

    seconds["home"] = watched.moves("state", lambda: page.keyboard.press("Home"))
    assert watched.text("#reduction").startswith("0.0 %")
    seconds["one more"] = watched.moves("state", lambda: page.click("#next"))
    assert watched.text("#count") == f"1 of {len(plan.cells)} cells"
    first = state.outcome(plan.cells[:1]).reduction.mean
    assert number_in(watched.text("#reduction")) == pytest.approx(100 * first, abs=0.051)
    seconds["to the end"] = watched.moves("state", lambda: page.keyboard.press("End"))
    seconds["Q-map"] = watched.moves("state", lambda: page.select_option("#layer", "q"))
    assert "budget is spent" in watched.text("#legend")
    seconds["Q-map at 40"] = watched.moves(
        "state", lambda: page.locator("#step").evaluate(
            "(e) => { e.value = 40; e.dispatchEvent(new Event('input')); }"))
    assert "hatched" in watched.text("#legend")
    shot(page, tmp_path, "explorer-2-q-map")

    page.select_option("#layer", "burn")
    page.mouse.move(*watched.cell(plan.cells[0]))
    assert "break 1 of the plan" in watched.text("#readout")
    cell = int(np.argmax(np.where(land.treatable, state.outcome(plan.cells[:40]).downstream_value,
                                  -1.0)))
    assert cell not in plan.cells[:40]
    page.keyboard.press("b")
    seconds["a break by hand"] = watched.moves(
        "state", lambda: page.mouse.click(*watched.cell(cell)))
    change = state.change(state.outcome([*plan.cells[:40], cell]), state.outcome(plan.cells[:40]))
    assert number_in(watched.text("#change")) == pytest.approx(100 * change.mean, abs=0.0051)
    assert change.mean < 0.0
    shot(page, tmp_path, "explorer-3-by-hand")
    watched.moves("state", lambda: page.mouse.click(*watched.cell(plan.cells[0])))
    assert watched.text("#count").startswith("40 of")
    watched.moves("state", lambda: page.click("#undo"))
    assert watched.text("#change") == "none"

    page.keyboard.press("f")
    watched.moves("state", lambda: page.keyboard.press("End"))
    source = int(np.argmax(state.untreated.burn_probability))
    seconds["a fire"] = watched.moves("fire", lambda: page.mouse.click(*watched.cell(source)))
    lit = state.light(source, state.mean_wind(), state.scene.median_duration_min, plan.cells)
    burned = [int(np.isfinite(times).sum()) for times in (lit.without, lit.treated)]
    numbers = [int(n) for n in re.findall(r"(\d+) cells without breaks, (\d+) with",
                                          watched.text("#fire"))[0]]
    assert np.abs(np.subtract(numbers, burned)).max() <= 0.02 * burned[0] + 2  # a rounded wind
    page.locator("#time").evaluate("(e) => { e.value = 900; e.dispatchEvent(new Event('input')); }")
    shot(page, tmp_path, "explorer-4-fire")
    page.locator("#dial").scroll_into_view_if_needed()
    dial = page.locator("#dial").bounding_box()
    words = watched.text("#windwords")
    seconds["the wind"] = watched.moves("fire", lambda: page.mouse.click(
        dial["x"] + 0.9 * dial["width"], dial["y"] + 0.5 * dial["height"]))
    assert "from 270°" in watched.text("#windwords") != words
    page.keyboard.press("Escape")

    threading.Thread(target=explorer.make_others, daemon=True).start()
    page.reload()
    page.wait_for_selector("body[data-pending='0']", timeout=120_000)
    watched.moves("state", lambda: page.check("[name=plan][value=downstream-value]"))
    other = state.outcome(explorer.plans["downstream-value"].cells).reduction.mean
    assert number_in(watched.text("#reduction")) == pytest.approx(100 * other, abs=0.051)
    print("seconds:", {name: round(taken, 3) for name, taken in seconds.items()})

    assert watched.said == []
    assert watched.requests
    assert all(asked.startswith(url) for asked in watched.requests)


def test_the_page_fits_a_phone_and_works_by_keyboard(browser: Any, explorer: Explorer, url: str,
                                                     tmp_path: Path) -> None:
    watched = Watched(browser, 390, 800)
    page = watched.page
    watched.moves("state", lambda: page.goto(url))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#map").focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    assert watched.text("#readout").startswith(f"row {SIZE // 2 - 2}, column {SIZE // 2 - 1} ")
    land = explorer.state.scene.landscape
    where = (SIZE // 2 - 2) * SIZE + SIZE // 2 - 1
    while not land.burnable.flat[where]:
        page.keyboard.press("ArrowRight")
        where += 1
    watched.moves("fire", lambda: page.keyboard.press("Enter"))
    shot(page, tmp_path, "explorer-5-phone")
    assert watched.said == []


def test_a_bad_answer_is_said_on_the_page(browser: Any, explorer: Explorer, url: str) -> None:
    watched = Watched(browser)
    page = watched.page
    watched.moves("state", lambda: page.goto(url))
    water = int(np.flatnonzero(~explorer.state.scene.landscape.burnable)[0])
    page.mouse.click(*watched.cell(water))
    assert "This cell cannot burn" in watched.text("#message")


def test_the_static_page_needs_no_server(browser: Any, explorer: Explorer, tmp_path: Path) -> None:
    state = explorer.state
    plan = shown_plan(state, "dqn", np.array(explorer.plans["dqn"].cells[:60]), lambda: None)
    path = tmp_path / "explorer.html"
    path.write_text(static_page(state, [plan], "seed 0"), encoding="utf-8")
    watched = Watched(browser)
    page = watched.page
    page.goto(path.as_uri())
    page.wait_for_selector("body.static[data-ready]")
    mean = state.outcome(plan.cells).reduction.mean
    assert number_in(watched.text("#reduction")) == pytest.approx(100 * mean, abs=0.051)
    page.keyboard.press("ArrowLeft")
    held = max(step for step in plan.steps if step <= 59)
    assert f"those of step {held}" in watched.text("#note")
    page.select_option("#which", "0")
    page.wait_for_selector("#clear:enabled")
    page.locator("#time").evaluate(
        "(e) => { e.value = 1000; e.dispatchEvent(new Event('input')); }")
    assert "cells without breaks" in watched.text("#fire")
    shot(page, tmp_path, "explorer-6-static")
    assert watched.said == []
    assert watched.requests == [path.as_uri()]
