"""The explorer on maps of real sizes: frames and answers are measured and printed, not asserted."""

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from watching import Watched, chromium, shot

from firebreak.fire import FireConditions, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.making import make_plan
from firebreak.report.explorer.data import fire_answer, start_data, state_answer
from firebreak.report.explorer.page import page as page_of
from firebreak.report.explorer.page import static_page
from firebreak.report.explorer.plans import Exploration, shown_plan
from firebreak.report.explorer.queries import EditedBreaks
from firebreak.report.explorer.server import Explorer
from firebreak.report.explorer.state import ExplorerState
from serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]

SMALL, TIMES = 125, 16


def made(size: int, burned_share: float) -> tuple[ExplorerState, Any]:
    scene = make_scene(generate(3, size), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=burned_share)), 0)
    state = ExplorerState(scene, budget_share=0.02, plan_fires=16, policy=None)
    cells = make_plan(scene, 0.02, 16, "downstream-value", seed=0).cells
    return state, shown_plan(state, "downstream-value", cells, lambda: None)


def enlarged(value: Any, key: str = "") -> Any:
    """A page's data with every map TIMES times as wide and high, and the plan's cells with them."""
    if isinstance(value, dict):
        return {name: enlarged(one, name) for name, one in value.items()}
    if key in ("data", "fuel", "burnable", "treatable", "light"):
        raw = np.frombuffer(base64.b64decode(value), "<u2" if key == "data" else np.uint8)
        return base64.b64encode(np.tile(raw.reshape(SMALL, SMALL), (TIMES, TIMES))
                                .tobytes()).decode()
    if key in ("rows", "cols"):
        return value * TIMES
    if key == "cells" and isinstance(value, list):
        row, col = np.divmod(np.array(value), SMALL)
        block = SMALL * np.arange(TIMES)
        rows, cols = (np.add.outer(block, part) for part in (row, col))
        return (rows[:, None] * SMALL * TIMES + cols[None]).ravel().tolist()
    if isinstance(value, list) and key in ("plans", "played"):
        return [enlarged(one, "one") for one in value]
    if isinstance(value, list) and key == "downstream-value":
        return [enlarged(one, "one") for one in value]
    return value


def moved_about(page: Any) -> None:
    box = page.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    for turn in (-1, -1, -1, -1, -1, -1, 1, 1, -1, -1):
        page.mouse.wheel(0, 120 * turn)
    page.mouse.down()
    for k in range(30):
        page.mouse.move(x - 9 * k, y - 5 * k)
    page.mouse.up()
    for _ in range(8):
        page.mouse.wheel(0, 300)


def test_four_million_cells_stay_fluid(tmp_path: Path) -> None:
    state, plan = made(SMALL, 0.15)
    data = start_data(Exploration(state, plan, "enlarged"), [plan], (), live=False)
    asked = EditedBreaks(plan.cells, plan.cells)
    data["states"] = {plan.name: [{"step": 0, **state_answer(state, asked, with_q=False)}]}
    source = int(np.argmax(state.untreated.burn_probability))
    wind, minutes = state.mean_wind(), state.scene.median_duration_min
    lit = state.light(source, wind, minutes, plan.cells)
    data["played"] = [fire_answer(lit, source, wind, minutes)]
    path = tmp_path / "large.html"
    path.write_text(page_of(enlarged(data)), encoding="utf-8")
    with chromium() as browser:
        watched = Watched(browser, 1400, 900)
        page = watched.page
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        said = {"first": watched.frames(lambda: page.keyboard.press("l")),
                "fuels: zoom and move": watched.frames(lambda: moved_about(page))}
        shot(page, tmp_path, "explorer-2000")
        page.select_option("#layer", "burn")
        said["burn probability: zoom and move"] = watched.frames(lambda: moved_about(page))
        said["a step"] = watched.frames(lambda: page.keyboard.press("ArrowLeft"))
        page.select_option("#which", "0")
        page.wait_for_selector("#clear:enabled")
        said["a fire plays"] = watched.frames(lambda: page.wait_for_timeout(3000))
        print(f"\n{SMALL * TIMES} x {SMALL * TIMES} cells:", *said.items(), sep="\n  ")
        assert re.search(r"[\d,]+ cells without breaks", watched.text("#fire"))
        assert watched.said == []


def test_a_line_on_512_cells_a_side_is_burned_at_once(tmp_path: Path) -> None:
    state, plan = made(512, 0.05)
    explorer = Explorer(Exploration(state, plan, "seed 0", plan.cells[:40]), 1)
    explorer.pending = []
    with serving(explorer) as server, chromium() as browser:
        watched = Watched(browser, 1400, 900)
        page = watched.page
        said = {"ready": f"{watched.moves('state', lambda: page.goto(server.url)):.2f} s",
                "fuels: zoom and move": watched.frames(lambda: moved_about(page))}
        page.click("#whole")
        page.keyboard.press("b")
        land = state.scene.landscape
        row = 256
        seconds = []
        for first in (60, 160, 260, 360):
            there = [watched.cell(row * 512 + col, 512, 512) for col in (first, first + 40)]
            page.mouse.move(*there[0])
            page.mouse.down()
            page.mouse.move(*there[1], steps=3)
            seconds.append(watched.moves("state", page.mouse.up))
            assert "the expected loss falls by a further" in watched.text("#message")
            row += 8
        said["a line, s"] = ", ".join(f"{one:.3f}" for one in seconds)
        shot(page, tmp_path, "explorer-512")
        print("\n512 x 512 cells:", *said.items(), sep="\n  ")
        assert land.treatable.any()
        assert "breaks that stand already" in watched.text("#legend")
        assert watched.said == []
        page.close()
    assert len(static_page(Exploration(state, plan, "seed 0"))) > 1_000_000
