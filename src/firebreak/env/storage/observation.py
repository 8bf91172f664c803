"""The channels that a planner sees, made from the landscape, the plan fires and the breaks so far.

All channels are bytes, 255 standing for 1 (see `layout`). Quantities that change with the size of
the map or of the fires are shown relative to their own untreated values.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Scene, unpad
from firebreak.layout import OBSERVATION

_FASTEST_M_MIN = 200.0  # rates of spread from here on look alike
_STEEP_TAN = 0.3  # slope shown as 0.5
_MAX_FIRES = 4096.0


def to_bytes(channel: NDArray) -> NDArray[np.uint8]:
    """[0, 1] -> bytes, rounded; values outside are clipped."""
    return np.rint(np.clip(channel, 0.0, 1.0) * 255.0).astype(np.uint8)


def to_floats(layers: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Bytes -> float32 in [0, 1], exact multiples of 1/255."""
    return layers.astype(np.float32) / np.float32(255.0)


def static_layers(scene: Scene) -> NDArray[np.uint8]:
    """uint8 [static channels, H, W], in the order of `layout.OBSERVATION.static`."""
    land = scene.landscape
    rate = np.tensordot(scene.scenarios.weight, scene.behavior.rate_of_spread_m_min, axes=1)
    east, north = _mean_travel(scene)
    elevation = land.elevation_m - land.elevation_m.mean()
    relief = max(float(elevation.std()), 1.0)
    value = scene.value
    top = float(value[land.burnable].max(initial=0.0))
    cheapest = float(land.cost.min())
    channels = {
        "burnable": land.burnable,
        "rate_of_spread": np.log1p(rate) / np.log1p(_FASTEST_M_MIN),
        "travel_east": 0.5 + 0.5 * east,
        "travel_north": 0.5 + 0.5 * north,
        "elevation": 0.5 + 0.2 * elevation / relief,
        "slope": land.slope_tan / (land.slope_tan + _STEEP_TAN),
        "value": value * land.burnable / (top if top > 0.0 else 1.0),
        "cost": cheapest / land.cost,
        "break_crossed": np.sqrt(crossed_share(scene)),  # most are small
    }
    return np.stack([to_bytes(np.asarray(channels[name], np.float64))
                     for name in OBSERVATION.static])


def _mean_travel(scene: Scene) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean vector of one-sidedness with which fire runs through each cell, in the unit disc: [H, W]
    east and north.

    Its length in one scenario is (head - back) / (head + back), the ellipse's eccentricity.
    """
    head, back = scene.behavior.rate_of_spread_m_min, scene.behavior.backing_rate_m_min
    one_sided = np.divide(head - back, head + back, out=np.zeros_like(head), where=head > 0)
    heading = np.radians(scene.behavior.heading_deg)
    weight = scene.scenarios.weight
    return (np.tensordot(weight, one_sided * np.sin(heading), axes=1),
            np.tensordot(weight, one_sided * np.cos(heading), axes=1))


def scalar_channels(budget_left: NDArray, budget_share: NDArray, plan_fires: NDArray,
                    burned_share: NDArray, best_downstream_share: NDArray,
                    loss_left: NDArray) -> NDArray[np.uint8]:
    """uint8 [scalars, n] of n slots: budget left of the first budget, and what the map alone does
    not tell.

    burned_share is the mean share of the map's value that an untreated plan fire burns. Over the
    untreated mean loss of the plan fires: best_downstream_share, the largest downstream value of a
    cell that may still be treated (its fourth root is good to a few percent down to a thousandth,
    see `agent.targets`), and loss_left, their mean loss now.
    """
    return to_bytes(np.array([
        budget_left, np.sqrt(budget_share), np.log2(plan_fires) / np.log2(_MAX_FIRES),
        np.sqrt(burned_share), best_downstream_share**0.25, loss_left]))


def crossed_share(scene: Scene) -> NDArray[np.float64]:
    """The share [H, W] over weathers, 0 for breaks that stop all fire, 1 for those that stop none.

    Of hard breaks the mean probability of a breach. Of breaks that burn the mean speed of fire in
    them over that before, in the direction that they slow down least. Crews hold a share of it: the
    mean share of heads that they hold, in fires that last for the median duration and come to a
    break at any time.

    It distinguishes kinds of break and is no probability: means are multiplied, also where both are
    large in the same weathers, and what is left out are embers, corners that leak, and how many
    breaks crews hold in one fire.
    """
    field, rules = scene.field, scene.field.breaks
    crossed = _let_through(scene)
    if rules.held:
        there = np.clip(1.0 - rules.ready[0] / scene.median_duration_min, 0.0, 1.0)
        crossed = crossed * (1.0 - there * _held_heads(scene))
    return np.asarray(unpad(crossed, field.shape))


def _let_through(scene: Scene) -> NDArray[np.float64]:
    """The share [P] where nobody holds breaks."""
    field, rules = scene.field, scene.field.breaks
    breached = np.zeros(field.burnable.size)
    if rules.breach.size:
        breached = np.tensordot(scene.streams.weight, rules.breach.astype(np.float64), axes=1)
        breached *= field.burns  # bare ground is there already
    if rules.treated is None:
        return breached
    slowed = np.zeros(field.burnable.size)
    for weight, before, after in zip(scene.scenarios.weight, field.unit_time,
                                     rules.treated.unit_time, strict=True):
        burns = np.isfinite(before) & np.isfinite(after) & (after > 0.0)
        share = np.divide(before, after, out=np.zeros(before.shape), where=burns)
        slowed += weight * np.minimum(share.max(axis=1), 1.0)
    if rules.bare.size:
        inside = unpad(slowed, field.shape)
        inside[rules.bare] = unpad(breached, field.shape)[rules.bare]
    return slowed


def _held_heads(scene: Scene) -> NDArray[np.float64]:
    """The mean share [P] of heads of fire in a break that crews can hold."""
    field, rules = scene.field, scene.field.breaks
    there = field if rules.treated is None else rules.treated
    rule, held = rules.crew, np.zeros(field.burnable.size)
    for weight, heat, rate in zip(scene.scenarios.weight, there.heat, there.rate, strict=True):
        intensity = heat[:, 0].astype(np.float64) * rate / scene.landscape.cell_size_m
        hotness = rule.scale * intensity**rule.power
        held += weight * np.clip((rule.never - hotness) / (rule.never - rule.always), 0.0, 1.0)
    return held
