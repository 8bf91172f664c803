"""The order in which to build a plan's segments, so that each beginning is a good plan.

Found backwards: from the whole plan the segment is given up that is missed least per cost, and so
on; what is given up first is built last. Segments that need one another, such as the two ends of a
line, so stay together, where a choice forwards sees no use in either of them alone. It is made on
the plan fires, so that the test fires may say what the order is worth.
"""

from firebreak.env.core import begin
from firebreak.env.problem import problem_of
from firebreak.env.slots import ONLY, Slots, sizes_for
from firebreak.fire.scene import Scene
from firebreak.planning.progress import Told, untold
from firebreak.planning.stretches import Segment

LOOKS = 4
"""How often all segments are looked up anew, at most."""


def in_build_order(scene: Scene, segments: list[Segment], plan_fires: int,
                   told: Told = untold) -> list[Segment]:
    """Segments in the order to build them.

    What a segment is missed by falls when one that it works with is given up, and rises when one
    that stood in for it is. All are therefore looked up anew LOOKS times, every time where there
    are no more than LOOKS segments; in between a value stands until it is the least, and is then
    looked up again (after Minoux 1978, doi:10.1007/BFb0006528). Ties go to the last cell.

    Args:
        plan_fires: number of fires of the set "plan" that decide.
        told: of segments as their place is found.
    """
    if len(segments) < 2:
        return list(segments)
    fires = scene.fires("plan", plan_fires)
    slots = Slots(sizes_for(scene, 1, plan_fires, 0))
    # The order may not depend on the budget: all segments are affordable.
    begin(slots, ONLY, [problem_of(scene, 1.0, fires, fires.first(0))])
    for segment in segments:
        _place(slots, segment)
    missed = dict.fromkeys(range(len(segments)), 0.0)
    given_up: list[int] = []
    pause = -(-len(segments) // LOOKS)
    while missed:
        fresh: set[int] = set()
        if len(given_up) % pause == 0:
            missed = {k: _missed_by(slots, segments[k]) for k in missed}
            fresh = set(missed)
        while True:
            least = min(missed, key=lambda k: (missed[k], -k))
            if least in fresh:
                break
            missed[least] = _missed_by(slots, segments[least])
            fresh.add(least)
        _remove(slots, segments[least])
        del missed[least]
        given_up.append(least)
        told(1)
    return [segments[k] for k in reversed(given_up)]


def _missed_by(slots: Slots, segment: Segment) -> float:
    """By how much the plan fires lose more without the segment, per unit of its cost."""
    before = slots.plan_loss(0)
    _remove(slots, segment)
    more = slots.plan_loss(0) - before
    _place(slots, segment)
    return more / segment.cost


def _place(slots: Slots, segment: Segment) -> None:
    for cell in segment.cells.tolist():
        slots.place(0, cell)
    slots.update(ONLY)


def _remove(slots: Slots, segment: Segment) -> None:
    for cell in segment.cells.tolist():
        slots.remove(0, cell)
    slots.update(ONLY)
