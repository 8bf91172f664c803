"""The explorer in headless Chromium: load, move, click, read the numbers, look at the screenshots.

`pytest -m browser` needs the package playwright and a Chromium, see `watching`.
"""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from watching import PHONE, WIDE, Watched, axe_source, chromium, faults, number_in, shot

from firebreak.agent.policy_file import load_policy
from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.making import make_plan
from firebreak.report.explorer.page import kept_steps, static_page
from firebreak.report.explorer.plans import Exploration, shown_plan
from firebreak.report.explorer.server import Explorer
from firebreak.report.explorer.state import ExplorerState
from serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]
SIZE = 128


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_source(tmp_path_factory.mktemp("axe"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    scene = make_scene(generate(1, SIZE), FireConditions(), 0)
    policy = load_policy()
    state = ExplorerState(scene, budget_share=0.03, plan_fires=128, policy=policy)
    cells = make_plan(scene, 0.03, 128, "dqn", seed=0, policy=policy).cells
    made = Explorer(Exploration(state, shown_plan(state, "dqn", cells, lambda: None), "seed 0"), 1)
    made.pending = ["downstream-value"]
    return made


@pytest.fixture(scope="module")
def url(explorer: Explorer) -> Iterator[str]:
    with serving(explorer) as server:
        yield server.url


def place(watched: Watched, cell: int) -> tuple[float, float]:
    return watched.cell(cell, SIZE, SIZE)


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
    page.mouse.move(*place(watched, plan.cells[0]))
    assert "break 1 of the plan" in watched.text("#readout")
    cell = int(np.argmax(np.where(land.treatable, state.outcome(plan.cells[:40]).downstream_value,
                                  -1.0)))
    assert cell not in plan.cells[:40]
    page.keyboard.press("b")
    seconds["a break by hand"] = watched.moves(
        "state", lambda: page.mouse.click(*place(watched, cell)))
    change = state.change(state.outcome([*plan.cells[:40], cell]), state.outcome(plan.cells[:40]))
    assert number_in(watched.text("#change")) == pytest.approx(100 * change.mean, abs=0.0051)
    assert change.mean < 0.0
    shot(page, tmp_path, "explorer-3-by-hand")
    watched.moves("state", lambda: page.mouse.click(*place(watched, plan.cells[0])))
    assert watched.text("#count").startswith("40 of")
    watched.moves("state", lambda: page.click("#undo"))
    assert watched.text("#change") == "none"

    page.keyboard.press("f")
    watched.moves("state", lambda: page.keyboard.press("End"))
    source = int(np.argmax(state.untreated.burn_probability))
    seconds["a fire"] = watched.moves("fire", lambda: page.mouse.click(*place(watched, source)))
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
    page.mouse.click(*place(watched, water))
    assert "This cell cannot burn" in watched.text("#message")


def test_the_static_page_needs_no_server(browser: Any, explorer: Explorer, tmp_path: Path) -> None:
    state = explorer.state
    plan = shown_plan(state, "dqn", np.array(explorer.plans["dqn"].cells[:60]), lambda: None)
    path = tmp_path / "explorer.html"
    path.write_text(static_page(Exploration(state, plan, "seed 0")), encoding="utf-8")
    watched = Watched(browser)
    page = watched.page
    page.goto(path.as_uri())
    page.wait_for_selector("body.static[data-ready]")
    mean = state.outcome(plan.cells).reduction.mean
    assert number_in(watched.text("#reduction")) == pytest.approx(100 * mean, abs=0.051)
    page.keyboard.press("ArrowLeft")
    cells = state.land.fuel_model.size
    held = max(step for step in kept_steps(plan.steps, cells) if step <= 59)
    assert f"those of step {held}" in watched.text("#note")
    page.select_option("#which", "0")
    page.wait_for_selector("#clear:enabled")
    page.locator("#time").evaluate(
        "(e) => { e.value = 1000; e.dispatchEvent(new Event('input')); }")
    assert "cells without breaks" in watched.text("#fire")
    shot(page, tmp_path, "explorer-6-static")
    assert watched.said == []
    assert watched.requests == [path.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_page_fits_wide_and_small_windows_in_light_and_dark(
        browser: Any, explorer: Explorer, url: str, tmp_path: Path, size: tuple[int, int],
        scheme: str, axe: str) -> None:
    watched = Watched(browser, *size, scheme=scheme)
    page = watched.page
    watched.moves("state", lambda: page.goto(url))
    page.wait_for_selector("body[data-drawn='1']")
    assert watched.sideways() <= 0
    assert faults(page, axe) == []
    shot(page, tmp_path, f"explorer-{size[0]}-{scheme}")
    source = int(np.argmax(explorer.state.untreated.burn_probability))
    watched.moves("fire", lambda: page.mouse.click(*place(watched, source)))
    page.locator("#time").evaluate("(e) => { e.value = 700; e.dispatchEvent(new Event('input')); }")
    assert "the layer is pale" in watched.text("#legend")
    assert faults(page, axe) == []
    shot(page, tmp_path, f"explorer-{size[0]}-{scheme}-fire")
    for width in ("0", "7px", ""):  # what a window has for a moment when it changes
        page.locator("#frame").evaluate("(e, width) => { e.style.width = width; "
                                        "window.dispatchEvent(new Event('resize')); }", width)
        page.wait_for_selector("body[data-drawn='1']")
    assert watched.said == []
    page.close()


def test_a_line_is_drawn_by_dragging_and_by_keys(browser: Any, explorer: Explorer, url: str,
                                                 tmp_path: Path) -> None:
    watched, state = Watched(browser), explorer.state
    page, land = watched.page, state.scene.landscape
    watched.moves("state", lambda: page.goto(url))
    watched.moves("state", lambda: page.keyboard.press("Home"))
    row = int(np.argmax(land.treatable[:, 20:60].sum(axis=1)))
    wanted = [row * SIZE + col for col in range(20, 60) if land.treatable[row, col]]

    def draw_line() -> None:
        page.mouse.move(*place(watched, row * SIZE + 20))
        page.mouse.down()
        page.mouse.move(*place(watched, row * SIZE + 40), steps=4)
        page.mouse.move(*place(watched, row * SIZE + 59), steps=4)
        page.mouse.up()

    page.keyboard.press("b")
    watched.moves("state", draw_line)
    saves = state.outcome(wanted).reduction.mean
    assert number_in(watched.text("#message").partition("further")[2]) == pytest.approx(
        100 * saves, abs=0.0051)
    assert watched.text("#count").endswith(f"{len(wanted)} added")
    shot(page, tmp_path, "explorer-7-line")
    watched.moves("state", lambda: page.click("#undo"))
    page.mouse.move(*place(watched, row * SIZE + 20))
    page.keyboard.press("m")
    for _ in range(39):
        page.keyboard.press("ArrowRight")
    watched.moves("state", lambda: page.keyboard.press("Enter"))
    assert watched.text("#count").endswith(f"{len(wanted)} added")
    assert watched.said == []


def test_the_map_zooms_and_moves(browser: Any, url: str, tmp_path: Path) -> None:
    watched = Watched(browser)
    page = watched.page
    watched.moves("state", lambda: page.goto(url))
    x, y = place(watched, 64 * SIZE + 64)

    def seen() -> str:
        page.wait_for_selector("body[data-drawn='1']")
        page.mouse.move(x + 0.5, y)
        page.mouse.move(x, y)
        return watched.text("#readout")

    before = seen()
    assert before.startswith("row 64, column 64 ·")
    for _ in range(6):
        page.mouse.wheel(0, -300)
    assert seen() == before
    assert "zoomed" in (page.locator("#map").get_attribute("class") or "")
    page.mouse.down()
    page.mouse.move(x + 200, y, steps=5)
    page.mouse.up()
    assert re.match("row 64, column (59|60) ", seen())
    shot(page, tmp_path, "explorer-8-zoomed")
    page.click("#whole")
    assert seen() == before
    assert watched.said == []
