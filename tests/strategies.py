"""Hypothesis strategies: small maps with random ellipses, breaks and fires, and scenes on them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from firebreak.env.storage.problem import Problem
from firebreak.fire import FireConditions, Scene
from firebreak.fire.fires import Fires
from firebreak.fire.travel.travel_field import Ellipse, TravelField, field_from_ellipse
from firebreak.landscape.bare_ground import with_bare_widths
from firebreak.landscape.fuels import BARREN, URBAN
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatments import with_strips
from firebreak.layout import OBSERVATION

CELL_SIZE_M = 30.0


class Case(NamedTuple):
    """A map in S scenarios, fires and breaks on it. value f32 [H, W]."""

    ellipse: Ellipse
    burnable: np.ndarray
    value: np.ndarray
    fires: Fires
    breaks: np.ndarray

    def field(self) -> TravelField:
        return field_from_ellipse(self.ellipse, self.burnable, CELL_SIZE_M)


def ellipse_like(head, length_to_width, heading_deg) -> Ellipse:
    """Rothermel's ellipse from arrays that broadcast to [S, H, W]."""
    head, ratio, heading = np.broadcast_arrays(
        *(np.asarray(a, np.float64) for a in (head, length_to_width, heading_deg)))
    e = np.sqrt(1.0 - 1.0 / ratio**2)
    back = head * (1.0 - e) / (1.0 + e)
    return Ellipse(head.copy(), back, 0.5 * (head + back) / ratio, heading.copy())


def random_case(rng: np.random.Generator, rows: int, cols: int, *, scenarios: int = 2,
                fires: int = 4, roughness: float = 0.3, turning: float = 30.0,
                unburnable: float = 0.1, broken: float = 0.1,
                most_length_to_width: float = 8.0) -> Case:
    """A random map. `roughness` is the standard deviation of the logarithm of the rate of spread,
    `turning` that of the heading in degrees; both around one wind per scenario.
    """
    shape = (scenarios, rows, cols)
    one = (scenarios, 1, 1)
    ellipse = ellipse_like(
        10.0 * np.exp(rng.normal(0.0, 0.7, one) + roughness * rng.standard_normal(shape)),
        np.clip(rng.uniform(1.0, most_length_to_width, one) + 0.2 * rng.standard_normal(shape),
                1.0, most_length_to_width),
        (rng.uniform(0.0, 360.0, one) + turning * rng.standard_normal(shape)) % 360.0)
    # Wider or narrower than Rothermel's ellipse, as FBP's may be.
    ellipse = ellipse._replace(flank=ellipse.flank * rng.uniform(0.7, 1.4, one))
    burnable = rng.random((rows, cols)) >= unburnable
    burnable[rng.integers(rows), rng.integers(cols)] = True
    source = rng.choice(np.flatnonzero(burnable), fires)
    reach = max(rows, cols) * CELL_SIZE_M / 10.0
    duration = np.where(rng.random(fires) < 0.3, np.inf, reach * rng.uniform(0.2, 1.5, fires))
    value = rng.integers(0, 4, (rows, cols)).astype(np.float32)
    # Breaks may lie anywhere burnable, on ignitions too.
    breaks = (rng.random((rows, cols)) < broken) & burnable
    return Case(ellipse, burnable, value,
                Fires(source, rng.integers(scenarios, size=fires), duration,
                      rng.integers(0, 2**63, fires).astype(np.uint64)), breaks)


@st.composite
def cases(draw, most_side: int = 12, **kwargs) -> Case:
    """Random maps of 1 x 1 to `most_side` x `most_side` cells."""
    seed = draw(st.integers(0, 2**32 - 1))
    rows, cols = draw(st.integers(1, most_side)), draw(st.integers(1, most_side))
    options = {"roughness": draw(st.sampled_from([0.0, 0.1, 0.5])),
               "turning": draw(st.sampled_from([0.0, 10.0, 90.0])),
               "unburnable": draw(st.sampled_from([0.0, 0.1, 0.35])),
               "broken": draw(st.sampled_from([0.0, 0.1, 0.3]))}
    return random_case(np.random.default_rng(seed), rows, cols, **(options | kwargs))


def plain_landscape(burnable: np.ndarray, value=1.0, cost=1.0, treatable=True) -> Landscape:
    """Grass where `burnable`, bare ground elsewhere, flat."""
    zeros = np.zeros(burnable.shape, np.float32)
    layers = {name: np.broadcast_to(layer, burnable.shape) for name, layer in
              (("value", value), ("cost", cost), ("treatable", treatable))}
    return Landscape(name="plain", fuel_model=np.where(burnable, 102, 99), elevation_m=zeros,
                     slope_tan=zeros, aspect_deg=zeros, canopy_cover=zeros, canopy_height_m=zeros,
                     canopy_base_height_m=zeros, canopy_bulk_density_kg_m3=zeros,
                     cell_size_m=CELL_SIZE_M, transform=(CELL_SIZE_M, 0, 0, 0, -CELL_SIZE_M, 0),
                     **layers)


def problem_on(case: Case, plan: Fires, reward: Fires, budget=1e9, field=None,
               value_by_class=None, **layers) -> Problem:
    """A problem on a case's own ellipses. Weather and fire behaviour are not there: the travel
    field is given, by the case if not by `field`.
    """
    land = plain_landscape(case.burnable, **({"value": case.value} | layers))
    scene = Scene(landscape=land, conditions=FireConditions(scenarios=len(case.ellipse.head)),
                  streams=None, behavior=None, intensities=False,
                  travel=case.field() if field is None else field,
                  value_by_class=land.value[None] if value_by_class is None else value_by_class,
                  median_duration_min=1.0,
                  seed=0, key="case")
    shown = np.zeros((len(OBSERVATION.static), *case.burnable.shape), np.uint8)
    return Problem(scene=scene, plan_fires=plan, reward_fires=reward, budget=budget,
                   budget_share=0.5, layers=shown)


def of_widths(land: Landscape) -> Landscape:
    """A landscape whose breaks are strips of three widths and whole cells, in turn."""
    widths = np.resize([2.0, 5.0, 12.0, 0.0], land.shape)
    return with_strips(land, widths, None)


def with_roads(land: Landscape) -> Landscape:
    """A landscape with roads of one and two cells, under some trees, that fire may cross."""
    code, cover = land.fuel_model.copy(), land.canopy_cover.copy()
    code[:, ::9] = code[::11] = code[::13, 20:30] = URBAN
    code[:, 10:12] = BARREN
    cover[::5] = 0.4
    return with_bare_widths(replace(land, fuel_model=code, canopy_cover=cover,
                                    canopy_height_m=np.full(land.shape, 9.0, np.float32)))
