"""The proposal of a scene, found before any counted fire is drawn.

Where must a fire start to reach something of value? Probe fires start in it and burn backwards:
with the wind and the slopes turned round, the time from one cell to another is that from the other
to the one. So the chance that such a fire burns a cell is the loss to expect of a fire that starts
there, but for what is not the same both ways: embers, and weather that changes. That costs
precision and no truth, since weights follow from what is drawn.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from firebreak.fire.behavior_models import behavior_on_demand
from firebreak.fire.engine import burn, burn_tracks
from firebreak.fire.fires import Fires, effective_number
from firebreak.fire.proposal import Blocks, Proposal, along, blocks_of, in_blocks
from firebreak.fire.scene import NUMBER_SET, PROBE_SET, Scene
from firebreak.seeding import generator

PLAIN_FIRES, MEETS_ENOUGH = 64, 0.5
"""Fires drawn from the truth, and the share of them that meets value from which on a proposal has
nothing to add."""
PROBE_FIRES, FIRST_FIRES, MOST_BURNED = 512, 32, 20_000_000
"""Fires that burn backwards; cells that they burn, about, as the first of them foretell. Cells
count, not seconds, so that every machine finds the same proposal."""
NUMBER_FIRES = 1024
"""Fires that the proposal draws, of which is counted how many plain draws they are worth."""
SECTORS, SPEEDS, MOST_STREAMS = 16, 2, 32
"""Weathers are grouped by the direction of their first wind, and whether it is faster than the
median; so many streams of weather stand for all groups together, but one for each at least."""
BLUR, LEAST = 1.0, 0.005
"""Blocks over which chances are spread, and how often a start is drawn at least, as a share of the
likeliest; both chosen on three maps by the variance of the mean loss (`benchmarks/proposal.py`)."""
MOST_TILT = 200.0

Floats = NDArray[np.float64]


def with_proposal(scene: Scene) -> Scene:
    """The scene with a proposal and with what its fires are worth; with plain draws where these
    meet value often enough, itself where they never do.
    """
    worth = scene.value * scene.landscape.burnable
    if scene.conditions.regime.edge_share > 0.0 or not worth.any():
        return scene
    plain = burn(scene, scene.fires(PROBE_SET, PLAIN_FIRES)).loss
    if (share := float((plain > 0.0).mean())) >= MEETS_ENOUGH:
        return replace(scene, meets=share)
    land, group = scene.landscape, weather_groups(scene)
    blocks = blocks_of(land.burnable, land.ignition_weight)
    chance = _chances(scene, blocks, group, _probes(scene, group, worth.ravel()))
    often = np.bincount(group, scene.streams.weight).astype(np.float64)
    made = replace(scene, proposal=Proposal(blocks, group, _tilt(chance, blocks.mass, often)))
    fires = made.fires(NUMBER_SET, NUMBER_FIRES)
    meeting = effective_number(fires.times[burn(made, fires).loss > 0.0])
    return replace(made, meets=meeting / NUMBER_FIRES)


def weather_groups(scene: Scene) -> NDArray[np.int64]:
    """The group of each stream of weather, i64 [S], numbered from 0."""
    steps, first = scene.streams.steps, slice(None, None, scene.streams.steps_per_stream)
    wind = steps.wind_20ft_m_min[first]
    median = np.quantile(wind, 0.5, weights=scene.streams.weight, method="inverted_cdf")
    sector = np.floor(steps.wind_from_deg[first] * SECTORS / 360.0 + 0.5).astype(int) % SECTORS
    return np.unique(sector * SPEEDS + (wind > median), return_inverse=True)[1].astype(np.int64)


def backwards(scene: Scene) -> Scene:
    """The scene with wind and slopes turned round, tiled, where fires meet nobody."""
    land, steps = scene.landscape, scene.streams.steps
    land = replace(land, aspect_deg=(land.aspect_deg + 180.0) % 360.0)
    steps = steps._replace(wind_from_deg=(steps.wind_from_deg + 180.0) % 360.0)
    conditions = scene.conditions.without_crews()
    return replace(scene, landscape=land, streams=scene.streams._replace(steps=steps),
                   conditions=conditions, intensities=False, travel=None,
                   behavior=behavior_on_demand(land, steps, conditions.model))


def _probes(scene: Scene, group: NDArray[np.int64], worth: NDArray[np.float32]) -> Fires:
    """Fires that start in what is of value, as often as it is worth, as many in the weathers of one
    group as of another.
    """
    rng = generator(scene.seed, "fires", PROBE_SET, scene.key, "backwards")
    happens, groups = scene.streams.weight > 0.0, range(int(group.max()) + 1)
    streams = [own for number in groups
               if (own := rng.permutation(np.flatnonzero((group == number) & happens))).size]
    each = max(1, MOST_STREAMS // len(streams))
    turns = [own[k % min(each, own.size)] for k in range(-(-PROBE_FIRES // len(streams)))
             for own in streams]
    valued = np.flatnonzero(worth)
    fires = scene.fires(PROBE_SET, PLAIN_FIRES + PROBE_FIRES).part(slice(PLAIN_FIRES, None))
    return fires._replace(source=valued[along(worth[valued], rng.random(PROBE_FIRES))],
                          scenario=rng.permutation(np.array(turns[:PROBE_FIRES], np.int64)))


def _chances(scene: Scene, blocks: Blocks, group: NDArray[np.int64], probes: Fires) -> Floats:
    """The share of a block's cells that a probe fire burns in weathers of each group, f64
    [G, I, J]: that of all groups where none was drawn.
    """
    count, back = blocks.mass.size, backwards(scene)
    reached, drawn = np.zeros((int(group.max()) + 1, count)), np.zeros(int(group.max()) + 1)
    burned = 0

    def burn_some(some: Fires) -> None:
        def take(number: int, cells: NDArray[np.int64], times: NDArray[np.float32]) -> None:
            nonlocal burned
            own = group[some.scenario[number]]
            reached[own] += np.bincount(blocks.of(cells), minlength=count)
            drawn[own] += 1.0
            burned += cells.size

        burn_tracks(back, some, take)

    burn_some(probes.first(FIRST_FIRES))
    most = min(PROBE_FIRES, FIRST_FIRES * MOST_BURNED // max(burned, 1))
    if most > FIRST_FIRES:
        burn_some(probes.part(slice(FIRST_FIRES, most)))
    reached[drawn == 0.0], drawn[drawn == 0.0] = reached.sum(axis=0), drawn.sum()
    cells = np.maximum(in_blocks(scene.landscape.burnable, blocks.side), 1.0)
    return (reached / drawn[:, None]).reshape(-1, *cells.shape) / cells


def _tilt(chance: Floats, mass: Floats, often: Floats) -> Floats:
    """The tilt f64 [G, I * J] for chances [G, I, J] that starts in blocks of this mass [I, J] lose
    something, in weathers so often [G].

    The root is best for a mean: with draws by q in place of p its variance grows with the mean of
    p / q x chance, which is least at q in proportion to p x root.
    """
    spread = gaussian_filter(chance, (0.0, BLUR, BLUR))
    root = np.maximum(np.sqrt(spread / spread.max()), LEAST).reshape(len(chance), -1)
    tilt = np.minimum(root / (often @ root @ mass.ravel()), MOST_TILT)
    return np.asarray(tilt / (often @ tilt @ mass.ravel()))
