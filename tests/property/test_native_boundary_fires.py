"""What kernels that burn fires are given by mistake: a sentence, or numbers of no meaning, never
memory that is not theirs.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.burn_setup import workspace
from firebreak.fire.solver import structs
from firebreak.fire.solver.kernels import burn_many, sum_many
from firebreak.fire.travel.arcs import Arcs, Spots
from native_probes import (
    probe_arrivals,
    probe_facet_weights,
    probe_intensities,
    probe_landings,
    probe_uniforms,
)

ROWS, COLS, WIDTH, FIRES, CLASSES = 4, 5, 11, 3, 6
CELLS = (ROWS + 6) * WIDTH
Parts = dict[str, Any]


def given_parts(rng: np.random.Generator, *, embers: bool, held: bool, constant: bool) -> Parts:
    """Arguments of both kernels. Arcs, embers and classes are of any bits; the map is a map."""
    def floats(*shape: int, kind: Any = np.float32) -> np.ndarray:
        odd = np.frombuffer(rng.bytes(int(np.prod(shape)) * np.dtype(kind).itemsize), kind)
        return np.where(rng.random(shape) < 0.5, odd.reshape(shape), rng.random(shape, kind))

    def ints(most: int, *shape: int, kind: Any = np.int64) -> np.ndarray:
        return rng.integers(0, most, shape, kind)

    steps = 1 if constant else 2
    state = np.zeros((2, ROWS + 6, WIDTH), np.uint8)
    state[:, 3:-3, 3:-3] = rng.choice([1, 1, 1, 2, 3, 4, 5, 0, 6, 8, 10, 255], (2, ROWS, COLS))
    edges = floats(2, CELLS, 8, kind=np.float64) if constant else np.empty((0, 0, 8))
    arcs = Arcs(floats(2, CELLS, 5), floats(2, CELLS, 8), ints(2**64, 2, CELLS, kind=np.uint64),
                ints(2**32, 2, CELLS, kind=np.uint32), ints(2**32, 2, CELLS, kind=np.uint32),
                floats(2, CELLS, 3), steps, 0.5, edges, rng.random(2) + 1e-3,
                ints(2**32, 2, CELLS, kind=np.uint32))
    spots = Spots(floats(5, 2, CELLS) if embers else np.empty((5, 0, 0), np.float32),
                  floats(4, 2), 1.0, 30.0)
    ready = floats(2, CELLS) if held else np.empty((0, 0), np.float32)
    breach = np.empty((0, 0), np.float32) if constant else floats(1, CELLS)
    rules = structs.Rules(False, breach, 2, np.sort(rng.random(CLASSES - 1)), ready,
                          rng.random(7), np.empty(0, np.int64))
    row, col = rng.integers(0, [[ROWS], [COLS]], (2, FIRES))
    fires = structs.FireTable(np.zeros(FIRES, np.int64), ints(2, FIRES),
                              (row + 3) * WIDTH + col + 3, np.array([np.inf, np.nan, 3.0]),
                              ints(2**64, FIRES, kind=np.uint64), ints(2**63 - 1, FIRES),
                              ints(3 - steps, FIRES, 2),
                              np.array([[1.0, np.inf], [np.nan, 2.0], [2.0, -1.0]]),
                              floats(FIRES, 2, kind=np.float64))
    return {"which": np.arange(FIRES), "width": WIDTH, "arcs": arcs, "spots": spots,
            "rules": rules, "fires": fires,
            "overlays": structs.Overlays(state.reshape(2, CELLS), floats(2, CLASSES, CELLS)),
            "scratch": workspace(CELLS)}


def burn(parts: Parts) -> None:
    results = structs.Results(*(np.empty((2, CELLS), kind)
                                for kind in (np.float64, np.uint8, np.float64, np.uint8)),
                              np.empty(FIRES))
    burn_many(*[parts[name] for name in list(parts)[:-1]], results, parts["scratch"])


def add_up(parts: Parts) -> None:
    threads = parts["scratch"].time.shape[0]
    sums = structs.Sums(np.zeros((threads, CLASSES, CELLS), np.int64),
                        *(np.zeros((threads, CELLS), np.int64) for _ in range(3)), np.nan, 1e300)
    tracks = structs.Tracks(np.empty((2, CELLS), np.int32), np.empty((2, CELLS), np.float32),
                            np.empty(FIRES, np.int64), np.empty(FIRES))
    tiles = parts.get("tiles", structs.Tiles(np.ones(4, np.uint8),
                                             np.zeros((threads, 4), np.uint8), 3, 2))
    sum_many(*[parts[name] for name in list(parts)[:7]], sums, tracks, tiles,
             np.empty(FIRES, np.uint8), np.empty(FIRES), parts["scratch"])


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_whatever_arrays_hold_a_fire_stays_in_them(seed: int, embers: bool, held: bool,
                                                   constant: bool, dirty: bool) -> None:
    rng = np.random.default_rng(seed)
    parts = given_parts(rng, embers=embers, held=held, constant=constant)
    if dirty:
        for array in parts["scratch"]:
            array.view(np.uint8)[:] = rng.integers(0, 256, array.view(np.uint8).shape, np.uint8)
    for kernel in (burn, add_up):
        kernel(parts)


def replaced(parts: Parts, place: str, value: Any) -> Parts:
    """Parts with another value of a name, or of a field "name.field"."""
    name, _, field = place.partition(".")
    return parts | {name: parts[name]._replace(**{field: value}) if field else value}


LAST = np.iinfo(np.int64).max
INDICES = (-1, -LAST - 1, 3, CELLS, LAST)


@pytest.mark.parametrize(("place", "values"), [
    ("which", [np.array([index]) for index in INDICES]),
    ("width", [-1, 0, 1, 6, 7, 13, CELLS, LAST]),
    ("fires.row", [np.full(FIRES, index) for index in (1, *INDICES)]),
    ("fires.overlay", [np.full(FIRES, index) for index in (2, *INDICES)]),
    ("fires.source", [np.full(FIRES, index)
                      for index in (0, 2 * WIDTH + 4, 4 * WIDTH + 2, 8 * WIDTH + 4, *INDICES)]),
    ("fires.later_row", [np.full((FIRES, 2), index) for index in (2, *INDICES)]),
    ("arcs.steps", [-1, 0, 3, LAST]),
    ("arcs.step_min", [0.0, -1.0, np.nan]),
    ("arcs.bucket_min", [np.full(2, length) for length in (0.0, -1.0, np.nan, np.inf)]),
    ("rules.steps", [np.full(2, count) for count in (-1, 0, 3, LAST)]),
    ("rules.rows_a_breach", [-1, 0]),
    ("rules.class_limits", [np.zeros(CLASSES), np.zeros(256)]),
    ("arcs.heat", [np.empty((0, 0, 3), np.float32)]),
    ("spots.winds", [np.empty((4, 0), np.float32)]),
    ("overlays.state", [np.ones((2, CELLS), np.uint8)]),
    ("overlays.value", [np.ones((2, 0, CELLS), np.float32)])])
def test_what_leads_out_of_an_array_is_refused_in_a_sentence(place: str, values: list) -> None:
    constant = place == "arcs.bucket_min"
    parts = given_parts(np.random.default_rng(0), embers=True, held=True, constant=constant)
    for value in values:
        for kernel in (burn, add_up):
            with pytest.raises(ValueError, match=r"\w+_many: \w.*: .*"):
                kernel(replaced(parts, place, value))


@pytest.mark.parametrize("name", structs.Workspace._fields)
def test_scratch_memory_that_is_too_small_is_refused(name: str) -> None:
    parts = given_parts(np.random.default_rng(0), embers=False, held=False, constant=True)
    array = getattr(parts["scratch"], name)
    for other in (array[:, :-1].copy(), array[:, ::2], array.astype(np.complex64), array[0],
                  array[:0], None):
        with pytest.raises((TypeError, ValueError)):
            burn(replaced(parts, f"scratch.{name}", other))
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        burn(parts)


@pytest.mark.parametrize(("ready", "side", "across"), [
    (4, 0, 2), (4, -3, 2), (4, 3, 0), (4, 3, LAST), (3, 3, 2), (4, 1, 2), (4, 3, 3), (4, 2, 3)])
def test_tiles_of_another_map_are_refused(ready: int, side: int, across: int) -> None:
    parts = given_parts(np.random.default_rng(0), embers=False, held=False, constant=True)
    threads = parts["scratch"].time.shape[0]
    tiles = structs.Tiles(np.ones(ready, np.uint8), np.zeros((threads, ready), np.uint8), side,
                          across)
    with pytest.raises(ValueError, match="tiles"):
        add_up(parts | {"tiles": tiles})


def test_single_rules_refuse_what_is_no_arc() -> None:
    parts = given_parts(np.random.default_rng(0), embers=False, held=False, constant=True)
    arcs, one, out, offset = parts["arcs"], np.zeros(1), np.zeros(1), np.zeros(32, np.int64)
    for cell in INDICES:
        if cell != 3:
            with pytest.raises(ValueError, match="out of range"):
                probe_arrivals(arcs, offset, one, np.array([cell]), np.array([0]), one, out)
            with pytest.raises(ValueError, match="out of range"):
                probe_intensities(arcs, np.array([0]), np.array([cell]), np.array([0]), one, out)
    for code in (-1, 88, LAST):
        with pytest.raises(ValueError, match="no arc"):
            probe_arrivals(arcs, offset, one, np.array([3]), np.array([code]), one, out)
        with pytest.raises(ValueError, match="out of range"):
            probe_facet_weights(arcs.metric[0], np.array([3]), np.array([code]),
                                *np.zeros((2, 1), np.float32), one)


def test_brands_and_numbers_take_any_number() -> None:
    words = np.array([0, 2**63, 2**64 - 1], np.uint64)
    probe_uniforms(words, words, words, np.empty(3))
    for size in (0.0, np.nan, -1.0, np.inf):
        for numbers in (np.nan, np.inf, -np.inf, 1e300):
            out = np.empty((1, 3))
            probe_landings(words[:1], np.array([[LAST, -1, 4]]), 5, 5, size, np.full(7, numbers),
                           out)
            assert out[0, 0] == -1.0 or 0.0 <= out[0, 0] < 5.0
