"""Where episodes come from: a landscape per (seed, episode), and the problem posed on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from firebreak.checks import fail, unknown_name
from firebreak.env.problem import Problem, make_problem, problem_of
from firebreak.env.slots import Sizes
from firebreak.fire.fires import Fires
from firebreak.fire.losses import CLASSES
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic import generate
from firebreak.landscape.windows import Window, dihedral, draw_window
from firebreak.seeding import generator, integer_seed

LandscapeDraw = Callable[[int, int], Landscape]
"""(seed, episode) -> landscape; the same arguments give the same landscape."""

OPTIONS = ("landscape", "fires", "budget", "problem")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemSource:
    """Poses the problem of an episode.

    Attributes:
        shape: (H, W) of every landscape drawn.
        landscape: draws the landscape of an episode.
        conditions: weather and fires.
        budget_share: share of the treatable cells' cost that may be spent.
        plan_fires, reward_fires: how many fires are shown, and how many others are paid on.
    """

    shape: tuple[int, int]
    landscape: LandscapeDraw
    conditions: FireConditions
    budget_share: float = 0.05
    plan_fires: int = 256
    reward_fires: int = 256

    def sizes(self, slots: int) -> Sizes:
        """Storage for `slots` problems of this source."""
        conditions = self.conditions
        return Sizes(slots, self.shape, conditions.rows, self.plan_fires, self.reward_fires,
                     1 if conditions.response is None else CLASSES,
                     conditions.breach != "never" and conditions.treatment.kind == "hard",
                     conditions.spotting is not None)

    def problem(self, seed: int, episode: int, options: dict[str, Any] | None = None) -> Problem:
        """The problem of an episode, with parts replaced by `options`.

        Options: "landscape" (a Landscape), "fires" (the name of a keyed set, or a pair of plan and
        reward Fires), "budget" (a share), or "problem" (a Problem, as it is).

        Raises:
            InputError: an unknown option, or a landscape of another shape.
        """
        given = options or {}
        for name in given:
            if name not in OPTIONS:
                raise unknown_name("option", name, OPTIONS, "reset")
        if "problem" in given:
            return given["problem"]
        land = given["landscape"] if "landscape" in given else self.landscape(seed, episode)
        if land.shape != self.shape:
            raise fail(expected=f"a landscape of {self.shape[0]} x {self.shape[1]} cells",
                       given=f"{land.shape[0]} x {land.shape[1]}", where=land.name,
                       remedy="crop it, or make the environment for this size")
        scene = make_scene(land, self.conditions, seed)
        budget = given.get("budget", self.budget_share)
        fires = given.get("fires", "")
        if isinstance(fires, str):
            return make_problem(scene, budget, self.plan_fires, self.reward_fires, fires)
        plan, reward = fires
        return problem_of(scene, budget, Fires(*plan), Fires(*reward))


def synthetic_landscapes(size: int, split: str, family: str | None = None) -> LandscapeDraw:
    """A fresh synthetic landscape per episode; each split has its own stream of seeds."""
    def draw(seed: int, episode: int) -> Landscape:
        return generate(integer_seed(seed, "synthetic", split, episode), size, family=family)
    return draw


def window_landscapes(maps: Sequence[tuple[Landscape, Sequence[Window]]], size: int, margin: int,
                      split: str, turned: bool) -> LandscapeDraw:
    """A random window of one of the maps' blocks per episode.

    Args:
        maps: landscapes with the blocks that this split may use.
        size: treatable rows and columns; a margin is added on every side.
        margin: cells around the window where fires may start and spread but nothing is treated.
        turned: draw one of the eight symmetries too.
    """
    full = size + 2 * margin
    def draw(seed: int, episode: int) -> Landscape:
        rng = generator(seed, "window", split, episode)
        land, blocks = maps[int(rng.integers(len(maps)))]
        window = draw_window(rng, blocks, full, full, land)
        cut = land.crop(window.row, window.col, window.rows, window.cols)
        return treat_inside(dihedral(cut, int(rng.integers(8))) if turned else cut, margin)
    return draw


def treat_inside(landscape: Landscape, margin: int) -> Landscape:
    """The landscape with treatment allowed only `margin` cells from the edge and further in."""
    if margin == 0:
        return landscape
    inside = np.zeros(landscape.shape, np.bool_)
    inside[margin:-margin, margin:-margin] = True
    return replace(landscape, treatable=landscape.treatable & inside)
