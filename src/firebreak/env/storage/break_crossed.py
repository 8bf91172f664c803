"""How much of fire gets past a break in each cell: what tells kinds of break apart before any is
made.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Scene, unpad


def crossed_share(scene: Scene) -> NDArray[np.float64]:
    """The share [H, W] over weathers, 0 for breaks that stop all fire, 1 for those that stop none.

    Of hard breaks the mean probability of a breach. Of breaks that burn the mean speed of fire in
    them over that before, in the direction that they slow down least. Crews hold a share of it: the
    mean share of heads that they hold, in fires that last for the median duration and come to a
    break at any time.

    It tells kinds of break apart, and is no probability: means are multiplied, also where both are
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
