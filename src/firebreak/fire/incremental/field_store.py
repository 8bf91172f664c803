"""Room for the travel fields of N slots in one set of arrays, so that their fires burn together."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire.burn_setup import arcs_of, rules_of
from firebreak.fire.solver.structs import Rules
from firebreak.fire.travel.arcs import Arcs, CrewRule, Spots
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import (
    BreakRules,
    TravelField,
    edges_for,
    padded_width,
    row_arrays,
)
from firebreak.native_library import hold


class FieldStore:
    """Travel fields of N slots: rows [slot * R, slot * R + R) are a slot's R rows of weather.

    Where breaks go is written into a slot's own rows (`TravelField.breaks.treated`), never into the
    scene's.

    borrows: the field of the only slot is read where it is, not copied; not of breaks that are
    written into it.
    """

    def __init__(self, shape: tuple[int, int], slots: int, rows: int, *, classes: int, heat: bool,
                 breach: bool, spotting: bool, held: bool, borrows: bool = False) -> None:
        """classes: of flame length by which fires lose; 1 where they do not. heat: fires have
        intensities. held: crews hold breaks. breach, spotting: as they say.
        """
        assert not borrows or slots == 1, "several slots need rows of their own"
        cells = (shape[0] + 2 * REACH) * padded_width(shape[1])
        count = 0 if borrows else slots * rows

        def grid(wanted: bool = True) -> NDArray[np.float32]:
            return np.zeros((count, cells) if wanted else (0, 0), np.float32)

        embers = count if spotting else 0
        self._rows, self._classed, self._borrows = rows, classes > 1, borrows
        self._steps = np.ones(slots, np.int64)  # of weather in a stream of each slot
        self._shared: dict[int, _Shared] = {}
        self._all = TravelField(
            shape, np.zeros((count, cells, 5), np.float32), np.zeros((count, cells, 8), np.float32),
            grid(), np.zeros((count, cells), np.uint64), np.zeros((count, cells), np.uint32),
            np.zeros((count, cells), np.uint32), np.zeros(cells, np.bool_),
            heat=np.zeros((count, cells, 3) if heat else (0, 0, 3), np.float32),
            spots=Spots(np.zeros((5, embers, cells), np.float32),
                        np.zeros((4, embers), np.float32), 0.0, 1.0),
            breaks=BreakRules(breach=grid(breach), ready=np.zeros(
                (slots, cells) if held else (0, 0), np.float32)), edges=edges_for(count, cells),
            bucket_min=np.ones(count), sends_far=np.zeros((count, cells), np.uint32))
        self._hold()

    def arrays(self) -> Iterator[NDArray]:
        """All arrays held."""
        every = self._all
        yield from (*row_arrays(every).values(), every.bucket_min, every.breaks.breach,
                    every.breaks.ready, every.spots.cells, every.spots.winds, self._steps)

    def _hold(self) -> None:
        """Packs what kernels take of all slots, once until another field is loaded.

        arcs: what fires run on. spots: embers. rules: what breaks do, and how many weather steps
        the streams have.
        """
        rules = rules_of(self._all)
        if not self._borrows:
            rules = rules._replace(rows_a_breach=1, steps=self._steps)
        if not self._classed:
            rules = rules._replace(class_limits=rules.class_limits[:0])
        self.arcs: Arcs = hold(arcs_of(self._all))
        self.spots: Spots = hold(self._all.spots)
        self.rules: Rules = hold(rules)

    def first_row(self, slot: int) -> int:
        """The first row of a slot."""
        return slot * self._rows

    def load(self, slot: int, field: TravelField, alone: bool) -> None:
        """Copies a field into a slot; `alone`: there is no other slot to agree with.

        Raises:
            InputError: cell size, length of weather steps or rules differ from those of the other
                slots.
        """
        if self._borrows:
            assert field.breaks.treated is None, "breaks would be written into the scene's field"
            self._all = field
            self._hold()
            return
        shared = _Shared((field.breaks.leak, field.spots.delay_min, field.spots.cell_size_m),
                         field.step_min, field.breaks.crew)
        every = {slot: shared} if alone else self._shared | {slot: shared}
        agreed = _agreed(list(every.values()))
        if agreed is None:
            raise fail(expected="the same cell size, length of weather steps, rule for leaks, "
                                "crews and embers in all slots", given="different ones",
                       where="environment",
                       remedy="make a separate environment for this problem")
        self._shared, kept = every, self._all
        self._steps[slot] = field.steps
        self._all = kept._replace(
            step_min=agreed.step_min,
            spots=field.spots._replace(cells=kept.spots.cells, winds=kept.spots.winds),
            breaks=kept.breaks._replace(leak=field.breaks.leak, crew=agreed.crew))
        self._hold()
        own = self.view(slot, field)
        for name, made in row_arrays(field).items():
            getattr(own, name)[:] = made
        if field.edges.size:
            own.bucket_min[:] = field.bucket_min
        if own.spots.cells.size:
            own.spots.cells[:] = field.spots.cells
            own.spots.winds[:] = field.spots.winds
        if kept.breaks.ready.size:
            kept.breaks.ready[slot] = field.breaks.ready[0] if field.breaks.held else np.inf
        if kept.breaks.breach.size:
            # A stream's breaches are in its first row.
            first, breach = self.first_row(slot), field.breaks.breach
            until = first + field.metric.shape[0]
            kept.breaks.breach[first:until:field.steps] = breach if breach.size else -1.0

    def view(self, slot: int, field: TravelField) -> TravelField:
        """A slot's own rows, as many as `field` has, with everything else of `field`."""
        rows = slice(self.first_row(slot), self.first_row(slot) + field.metric.shape[0])
        every = self._all
        return field._replace(
            **{name: getattr(every, name)[rows] for name in row_arrays(field)},
            bucket_min=every.bucket_min[rows],
            spots=field.spots._replace(cells=every.spots.cells[:, rows],
                                       winds=every.spots.winds[:, rows]))


class _Shared(NamedTuple):
    """Rules that the fires of all slots share. rules: leak, and of embers the delay and the size of
    a cell. step_min: inf in constant weather, which goes with steps of any length.
    """

    rules: tuple[bool, float, float]
    step_min: float
    crew: CrewRule


def _agreed(every: Sequence[_Shared]) -> _Shared | None:
    """The rules of slots that have these, where a slot whose breaks nobody holds takes the crews of
    the others; None where they differ.
    """
    lengths = {one.step_min for one in every} - {np.inf}
    crews = [one.crew for one in every]
    holding = [crew for crew in crews if crew.cells > 0.0]
    attacks = {crew._replace(always=0.0, cells=0.0) if crew.attack_min < np.inf else None
               for crew in crews}
    if max(len({one.rules for one in every}), len(lengths), len(set(holding)), len(attacks)) > 1:
        return None
    return _Shared(every[0].rules, min(one.step_min for one in every), [*holding, *crews][0])
