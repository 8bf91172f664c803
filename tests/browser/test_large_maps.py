"""The explorer on maps of real sizes: frames and answers are measured and printed, not asserted."""

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
from firebreak.report.explorer.page import static_page
from firebreak.report.explorer.plans import Exploration, shown_plan
from firebreak.report.explorer.server import Explorer
from firebreak.report.explorer.state import ExplorerState
from serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]


def made(size: int, burned_share: float) -> tuple[ExplorerState, Any]:
    scene = make_scene(generate(3, size), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=burned_share)), 0)
    state = ExplorerState(scene, budget_share=0.02, plan_fires=16, policy=None)
    cells = make_plan(scene, 0.02, 16, "downstream-value", seed=0).cells
    return state, shown_plan(state, "downstream-value", cells, lambda: None)


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
        page.keyboard.press("f")
        said["first of another layer"] = watched.frames(lambda: page.keyboard.press("l"))
        page.select_option("#layer", "burn")
        said["burn probability: zoom and move"] = watched.frames(lambda: moved_about(page))
        said["a step"] = watched.frames(lambda: page.keyboard.press("ArrowLeft"))
        page.click("#whole")
        source = int(np.argmax(state.untreated.burn_probability))
        watched.moves("fire", lambda: page.mouse.click(*watched.cell(source, 512, 512)))
        said["a fire plays"] = watched.frames(lambda: page.wait_for_timeout(3000))
        assert re.search(r"[\d,]+ cells without breaks", watched.text("#fire"))
        said["a line, s"] = ", ".join(f"{one:.3f}" for one in seconds)
        shot(page, tmp_path, "explorer-512")
        print("\n512 x 512 cells:", *said.items(), sep="\n  ")
        assert land.treatable.any()
        assert "breaks that stand already" in watched.text("#legend")
        assert watched.said == []
        page.close()
    assert len(static_page(Exploration(state, plan, "seed 0"))) > 1_000_000
