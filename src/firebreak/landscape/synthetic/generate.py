"""Synthetic landscapes for training: one seeded generator, several families.

Relief is power-law noise scaled to a slope; fuel patches are the largest of several noise fields,
one per fuel model, each shifted to the ground it prefers; where past fires went only fuels that
grow at that age count: a scar is an ellipse with a ragged edge, later fires run over the scars of
earlier ones. Slash lies in rectangular blocks, as they are cut. Lakes, rock, fields and towns are
the top of further noise fields; rivers and roads cross the map with gaps. No draw is rejected, so
every map takes the same time. Cells carry Scott & Burgan codes, or those of the FBP System.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.fbp_codes import NON_FUEL
from firebreak.landscape.fuel_systems import SYSTEMS
from firebreak.landscape.fuels import BARREN
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.families import (
    AGRICULTURE,
    FAMILIES,
    FBP_FAMILIES,
    FBP_WATER,
    FBP_WETLAND,
    URBAN,
    WATER,
    Family,
    Range,
    family_named,
)
from firebreak.landscape.synthetic.job_land import with_town
from firebreak.landscape.synthetic.noise import line_across, open_gaps, power_law_noise, standardise
from firebreak.landscape.terrain import slope_aspect
from firebreak.seeding import generator

DEFAULT_CELL_SIZE_M = 100.0
MIN_SIZE = 4
MAX_SIZE = 5_000

_MOST_IN_LINES = 0.20
_MOST_UNBURNABLE = 0.38

Field = NDArray[np.float64]

# Which ground an unburnable patch prefers: (elevation, slope).
_BARRIER_GROUND = {WATER: (-1.0, -0.5), BARREN: (0.7, 0.4), AGRICULTURE: (-0.4, -0.6),
                   URBAN: (-0.3, -0.4), FBP_WATER: (-1.0, -0.5), FBP_WETLAND: (-0.8, -0.8),
                   NON_FUEL: (0.7, 0.4)}

# Canopy above the timber models: cover, height (m), base height (m), bulk density (kg/m3). Open
# woodland: a closed canopy shelters the fuel below so well that surface fire barely moves.
_CANOPY = {
    162: (0.25, 12.0, 1.2, 0.06),
    163: (0.25, 14.0, 1.5, 0.07),
    165: (0.25, 14.0, 0.8, 0.09),
    188: (0.30, 16.0, 3.0, 0.09),
    189: (0.25, 14.0, 2.5, 0.08),
}

OLD_YEARS = 150.0
"""Since the last fire, where no scar lies."""

_RAGGED = 0.22  # of the radius, standard deviation
_LONGEST_SCAR = 2.2  # length over width
_BLOCK_CELLS = (3, 8)
_SUMMERS = 0.5


def generate(seed: int, size: int | tuple[int, int], *, family: str | Family | None = None,
             cell_size_m: float = DEFAULT_CELL_SIZE_M) -> Landscape:
    """The synthetic landscape of a seed. The same arguments give the same landscape.

    At least 60 % of the cells burn; every burnable cell is treatable, with value 1 and cost 1, but
    for families with a town.

    Args:
        seed: any integer >= 0.
        size: cells along a side, or (rows, columns).
        family: a name that `family_named` knows, or a family of your own; None draws one of
            `FAMILIES` from the seed.
        cell_size_m: metres.

    Raises:
        InputError: a size out of range, a negative seed, an unknown family.
    """
    rows, cols = shape = _checked_shape(size)
    recipe = (family_named(family) if isinstance(family, str) else family
              or _drawn_family(seed, FAMILIES))
    name = f"synthetic:{seed}:{rows}" + (f"x{cols}" if cols != rows else "")

    def stream(part: str) -> np.random.Generator:
        return generator(seed, "synthetic", recipe.name, part)

    elevation = _relief(stream("relief"), recipe, shape, cell_size_m)
    slope, aspect = slope_aspect(elevation, cell_size_m)
    # High and north-facing ground as one number, about -2 to 2; timber grows where it is large.
    northness = np.cos(np.radians(aspect)) * np.minimum(slope / 0.3, 1.0)
    habitat = standardise(standardise(elevation) + 0.6 * northness)
    fuel = _fuel_patches(stream("fuel"), recipe, habitat, ages(stream("scars"), recipe, shape))
    cut_blocks(stream("cuts"), recipe, fuel)
    leaf_out(stream("season"), recipe, fuel)
    _place_barriers(stream("barriers"), recipe, fuel, elevation, slope)
    cover, height, base, density = (
        _canopy(stream("canopy"), fuel) if SYSTEMS[recipe.fuel_system].uses_canopy
        else np.zeros((4, *shape), np.float32))
    ones = np.ones(shape, dtype=np.float32)
    land = Landscape(
        name=f"{name}:{recipe.name}" if family else name, fuel_model=fuel,
        fuel_system=recipe.fuel_system,
        elevation_m=elevation.astype(np.float32), slope_tan=slope, aspect_deg=aspect,
        canopy_cover=cover, canopy_height_m=height, canopy_base_height_m=base,
        canopy_bulk_density_kg_m3=density, value=ones, cost=ones,
        treatable=np.ones(shape, dtype=bool), cell_size_m=cell_size_m,
        transform=(cell_size_m, 0.0, 0.0, 0.0, -cell_size_m, rows * cell_size_m))
    return with_town(stream("town"), land, recipe.town) if recipe.town[1] else land


def _checked_shape(size: int | tuple[int, int]) -> tuple[int, int]:
    rows, cols = (size, size) if isinstance(size, int) else size
    if not (MIN_SIZE <= rows <= MAX_SIZE and MIN_SIZE <= cols <= MAX_SIZE):
        raise fail(expected=f"{MIN_SIZE} to {MAX_SIZE} cells along a side",
                   given=f"{rows} x {cols}", where="synthetic landscape",
                   remedy="choose another size")
    return rows, cols


def _drawn_family(seed: int, families: dict[str, Family]) -> Family:
    names = sorted(families)
    return families[names[int(generator(seed, "synthetic", "family").integers(len(names)))]]


def generate_fbp(seed: int, size: int | tuple[int, int]) -> Landscape:
    """Landscape as of `generate`, of a family of the FBP System that the seed draws."""
    _checked_shape(size)
    return generate(seed, size, family=_drawn_family(seed, FBP_FAMILIES))


def _draw(rng: np.random.Generator, bounds: Range) -> float:
    return float(rng.uniform(*bounds))


def _relief(rng: np.random.Generator, recipe: Family, shape: tuple[int, int],
            cell_size_m: float) -> Field:
    """Elevation in metres whose slope has the root mean square that the recipe asks for."""
    field = power_law_noise(
        rng, 1, shape, correlation_cells=_draw(rng, recipe.relief_cells),
        exponent=rng.uniform(2.4, 3.2), stretch=_draw(rng, recipe.stretch),
        angle_rad=rng.uniform(0.0, np.pi))[0]
    if recipe.ridged:
        field = -np.abs(field) + 0.3 * field
    rise = np.gradient(field, cell_size_m)
    steepness = float(np.sqrt(np.mean(rise[0]**2 + rise[1]**2)))
    scaled = field * (_draw(rng, recipe.slope) / steepness)
    return scaled - scaled.min() + rng.uniform(100.0, 1500.0)


def _fuel_patches(rng: np.random.Generator, recipe: Family, habitat: Field,
                  years: Field) -> NDArray[np.int16]:
    """Fuel codes: at each cell the fuel whose noise field plus preference is largest, of those that
    grow there so many years after the last fire, [H, W].
    """
    stages = [*(fuels for _, fuels in recipe.stages), recipe.fuels]
    codes, weights, preferences = (np.array(column) for column in zip(
        *(fuel for fuels in stages for fuel in fuels), strict=True))
    fields = power_law_noise(
        rng, len(codes), habitat.shape, correlation_cells=_draw(rng, recipe.patch_cells),
        exponent=_draw(rng, recipe.patch_exponent), stretch=_draw(rng, recipe.stretch),
        angle_rad=rng.uniform(0.0, np.pi))
    # Maps of a family differ in their mix: some fuels dominate one map and miss on another.
    mix = np.log(weights) + rng.normal(0.0, 0.5, size=len(weights))
    score = fields + mix[:, None, None] + preferences[:, None, None] * habitat
    own = np.repeat(np.arange(len(stages)), [len(fuels) for fuels in stages])
    stage = np.searchsorted([until for until, _ in recipe.stages], years)
    score[own[:, None, None] != stage] = -np.inf
    return codes.astype(np.int16)[score.argmax(axis=0)]


def _place_barriers(rng: np.random.Generator, recipe: Family, fuel: NDArray[np.int16],
                    elevation: Field, slope: NDArray[np.float32]) -> None:
    """Write unburnable patches and lines into `fuel`, up to the shares that keep 60 % burning."""
    high, steep = standardise(elevation), standardise(slope.astype(np.float64))
    lines = _lines(rng, recipe, high, steep)
    in_lines = sum(len(cells) for _, cells in lines) / fuel.size
    share = min(_draw(rng, recipe.barrier_share), _MOST_UNBURNABLE - in_lines)
    kinds = rng.permutation(recipe.barrier_codes)[:2]
    for code in kinds:
        ground = _BARRIER_GROUND[int(code)]
        _write_patch(rng, fuel, int(code), share / len(kinds),
                     ground[0] * high + ground[1] * steep)
    for code, cells in lines:
        fuel[cells[:, 0], cells[:, 1]] = code


def _write_patch(rng: np.random.Generator, fuel: NDArray[np.int16], code: int, share: float,
                 ground: Field) -> None:
    """Give `code` to the `share` of the cells where noise plus preference is highest."""
    count = int(share * fuel.size)
    if count == 0:
        return
    noise = power_law_noise(rng, 1, fuel.shape, correlation_cells=rng.uniform(6.0, 16.0),
                            exponent=rng.uniform(2.6, 3.6))[0]
    score = (noise + 0.6 * standardise(ground)).ravel()
    fuel.ravel()[np.argpartition(score, -count)[-count:]] = code


def _lines(rng: np.random.Generator, recipe: Family, high: Field,
           steep: Field) -> list[tuple[int, NDArray[np.int64]]]:
    """Rivers and roads as (code, cells), as many of those drawn as fit the share for lines."""
    scale = max(1, round(max(high.shape) / 40))
    water, road = recipe.river_code, recipe.road_code
    wanted = [(water, high)] * (scale * int(rng.integers(*recipe.rivers, endpoint=True)))
    wanted += [(road, steep)] * (scale * int(rng.integers(*recipe.roads, endpoint=True)))
    lines: list[tuple[int, NDArray[np.int64]]] = []
    room = _MOST_IN_LINES * high.size
    for code, dislike in wanted:
        river = code == water
        wander = power_law_noise(rng, 1, high.shape, correlation_cells=6.0, exponent=2.0)[0]
        cells = line_across(rng, 1.5 * dislike + wander, thick=river,
                            pull=0.08 if river else 0.25)
        cells = open_gaps(rng, cells, _draw(rng, recipe.gaps))
        if len(cells) <= room:
            lines.append((code, cells))
            room -= len(cells)
    return lines


def _canopy(rng: np.random.Generator, fuel: NDArray[np.int16]) -> NDArray[np.float32]:
    """Cover (fraction), height (m), base height (m), bulk density (kg/m3): float32 [4, H, W]."""
    table = np.zeros((4, 256), dtype=np.float64)
    for code, typical in _CANOPY.items():
        table[:, code] = typical
    density, openness = power_law_noise(rng, 2, fuel.shape, correlation_cells=8.0, exponent=2.0)
    lift = np.stack((0.20 * density, 0.20 * density, 0.35 * openness, 0.30 * density))
    layers = table[:, fuel] * np.exp(lift)
    layers[2] = np.minimum(layers[2], 0.7 * layers[1])
    return layers.astype(np.float32)


def ages(rng: np.random.Generator, recipe: Family, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Years since the last fire, [H, W]: those of the latest scar that lies on a cell."""
    years = np.full(shape, OLD_YEARS)
    if recipe.scars[1] == 0:
        return years
    scale = max(1, round(shape[0] * shape[1] / 40**2))
    count = scale * int(rng.integers(*recipe.scars, endpoint=True))
    latest = recipe.stages[-1][0]
    rows, cols = np.indices(shape)
    edge = power_law_noise(rng, 1, shape, correlation_cells=6.0, exponent=1.8)[0]
    for age in np.sort(rng.uniform(0.0, latest, count))[::-1]:
        row, col = rng.uniform(0, shape[0]), rng.uniform(0, shape[1])
        angle, ratio = rng.uniform(0.0, np.pi), rng.uniform(1.0, _LONGEST_SCAR)
        radius = rng.uniform(*recipe.scar_cells)
        along = (cols - col) * np.cos(angle) + (rows - row) * np.sin(angle)
        across = (rows - row) * np.cos(angle) - (cols - col) * np.sin(angle)
        distance = np.hypot(along / np.sqrt(ratio), across * np.sqrt(ratio)) / radius
        years[distance + _RAGGED * edge < 1.0] = age
    return years


def cut_blocks(rng: np.random.Generator, recipe: Family, fuel: NDArray[np.int16]) -> None:
    """Write blocks of slash into `fuel` until they take the share that is drawn."""
    if not recipe.cut_fuels:
        return
    codes, weights = zip(*recipe.cut_fuels, strict=True)
    chance = np.array(weights) / sum(weights)
    left = int(rng.uniform(*recipe.cut_share) * fuel.size)
    while left > 0:
        rows, cols = (min(int(n), side) for n, side in zip(
            rng.integers(*_BLOCK_CELLS, size=2, endpoint=True), fuel.shape, strict=True))
        cols = min(cols, left)  # the last block is as large as what is left
        rows = min(rows, left // cols)
        row, col = (int(rng.integers(side - n + 1)) for n, side in zip(
            (rows, cols), fuel.shape, strict=True))
        fuel[row:row + rows, col:col + cols] = rng.choice(codes, p=chance)
        left -= rows * cols


def leaf_out(rng: np.random.Generator, recipe: Family, fuel: NDArray[np.int16]) -> None:
    """Write the fuels of summer into `fuel`, in half of the draws."""
    if rng.random() < _SUMMERS:
        before = fuel.copy()
        for bare, green in recipe.green_up:
            fuel[before == bare] = green
