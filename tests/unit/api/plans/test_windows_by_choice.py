"""A plan by windows that `auto` chooses: no candidate that it may take saves more."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import firebreak
from firebreak.fire import burn
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.plan import Plan

SIZE, FIRES = 32, 1500
ASKED: dict[str, Any] = {"budget": 0.05, "plan_fires": 16, "test_fires": 0, "report": "none",
                         "burned_share": 0.1, "scenarios": 2, "threads": 1, "window_cells": 16}
AUTO: dict[str, Any] = ASKED | {"method": "auto"}
SHADED = {"break_kind": "shaded"}


def land_with(kind: str, seed: int) -> Landscape:
    """A map whose value is one town, clusters of houses, or houses scattered over all of it."""
    land, rng = generate(seed, SIZE), np.random.default_rng(seed)
    value = np.zeros(land.shape, np.float32)
    count, half = {"town": (1, 3), "clusters": (5, 1), "houses": (40, 0)}[kind]
    for row, col in rng.integers(half, SIZE - half, (count, 2)).tolist():
        value[row - half:row + half + 1, col - half:col + half + 1] = 1.0
    return replace(land, value=np.where(land.burnable, value, 0.0).astype(np.float32))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed", "more"), [
    ("houses", 2, {}), ("houses", 3, SHADED), ("clusters", 1, {}), ("town", 0, {})])
def test_no_candidate_saves_more_than_the_plan_that_is_kept(
        kind: str, seed: int, more: dict[str, Any]) -> None:
    """By more than the choice leaves open, on fires that chose nothing; and the lines of windows
    are a candidate as they are planned by name.
    """
    land = land_with(kind, seed)
    made = firebreak.plan(land, **AUTO, **more)
    run: Any = made._run
    choice, scene = made.choice, run.scene
    assert choice is not None
    named = firebreak.plan(land, method="segments", **ASKED, **more).plan
    assert run.others["segments"].cells.tolist() == named.cells.tolist()
    fires = scene.fires("test", FIRES)
    untreated = burn(scene, fires).loss.mean()

    def lost(plan: Plan) -> np.ndarray:
        return burn(scene, fires, plan.break_mask()).loss / untreated

    kept = lost(made.plan)
    for name, candidate in choice.candidates.items():
        less = kept - lost(run.others[name])
        open_ = candidate.behind.high - candidate.behind.mean
        assert less.mean() <= open_ + 3.0 * less.std() / FIRES**0.5, name
