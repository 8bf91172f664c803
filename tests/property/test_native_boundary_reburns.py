"""What kernels that burn fires again are given by mistake: a sentence, or numbers of no meaning,
and never memory that is not theirs.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.incremental import kernels
from firebreak.fire.solver.structs import QUEUE_SPARE
from firebreak.fire.travel.arcs import BARE, CLOSED, HELD_BREAK, NARROW_BREAK, NEAR, OPEN
from firebreak.fire.travel.stencil import REACH, UNBURNED
from firebreak.native_library import ENTRIES, max_threads
from firebreak.native_library.layouts import ArrayLayout, Layout

ROWS, COLS = 4, 5
WIDTH = COLS + 2 * REACH
CELLS = (ROWS + 2 * REACH) * WIDTH
FAR = REACH * WIDTH + REACH
LENGTHS = {"L": 2, "F": 6, "K": 4, "V": 2, "C": 6, "R": 2, "P": CELLS, "S": CELLS + 8,
           "Q": 2 * CELLS + QUEUE_SPARE, "T": max_threads(), "N": 3, "B": 4, "M": 5, "D": 48}
ANY = {"class_limits": 5, "breach": 1, "cells": 9, "first": LENGTHS["B"] + 1}
NAMES = ("depends_on", "list_change", "breaks_affect", "reburn_many", "try_lines")
Parts = dict[str, Any]


def bits(rng: np.random.Generator, shape: tuple[int, ...], kind: np.dtype) -> np.ndarray:
    """Numbers of any bits among usual ones."""
    if kind == np.bool_:
        return rng.random(shape) < 0.5
    odd = np.frombuffer(rng.bytes(int(np.prod(shape)) * kind.itemsize), kind).reshape(shape)
    usual = rng.random(shape) * (30 if kind.kind == "f" else 90)
    return np.where(rng.random(shape) < rng.choice([0.0, 0.1, 0.9]), odd, usual.astype(kind))


def made(layout: Layout, rng: np.random.Generator) -> Parts:
    """Arguments of a layout's shapes, of any bits: "name", or "tuple.field"."""
    parts: Parts = {}
    for name, part in layout.parts.items():
        if isinstance(part, ArrayLayout):
            shape = tuple((LENGTHS[axis.name] if axis.name else 1) * axis.times or ANY[name]
                          for axis in part.axes)
            parts[name] = bits(rng, shape, part.dtype)
        elif isinstance(part, Layout):
            parts |= {f"{name}.{field}": value for field, value in made(part, rng).items()}
        else:
            parts[name] = 1
    return parts


def map_cells(rng: np.random.Generator, count: int) -> np.ndarray:
    row, col = rng.integers(0, [[ROWS], [COLS]], (2, count))
    return (row + REACH) * WIDTH + col + REACH


def state(rng: np.random.Generator) -> np.ndarray:
    padded = np.full((LENGTHS["V"], ROWS + 2 * REACH, WIDTH), CLOSED, np.uint8)
    padded[:, REACH:-REACH, REACH:-REACH] = rng.choice(
        [OPEN, OPEN, OPEN, NEAR, NARROW_BREAK, HELD_BREAK, CLOSED, BARE, BARE + 2, BARE + 4, 255],
        (LENGTHS["V"], ROWS, COLS))
    return padded.reshape(LENGTHS["V"], CELLS)


def in_range(rng: np.random.Generator, parts: Parts) -> Parts:
    """The same with indices that lie where they have to; what is left out, by chance."""
    count = LENGTHS
    steps = int(rng.integers(1, 3))
    usual = {
        "cell": int(map_cells(rng, 1)[0]), "place": int(map_cells(rng, 1)[0]), "slot": 1,
        "slots": rng.integers(0, count["V"], count["B"]), "places": map_cells(rng, count["B"]),
        "width": WIDTH, "plan_fires": count["K"] // count["V"],
        "reward_fires": (count["F"] - count["K"]) // count["V"],
        "which": rng.permutation(count["K"])[:count["N"]].astype(np.int64),
        "arcs.steps": steps, "arcs.step_min": 5.0,
        "arcs.bucket_min": rng.random(count["R"]) + 1e-3,
        "rules.steps": np.full(count["V"], steps), "rules.rows_a_breach": 2,
        "fires.row": np.zeros(count["F"], np.int64),
        "fires.overlay": rng.integers(0, count["V"], count["F"]),
        "fires.source": map_cells(rng, count["F"]),
        "fires.duration": np.array([np.inf, np.nan, 0.0, 20.0, 40.0, -1.0]),
        "fires.later_row": rng.integers(0, count["R"] - 1, (count["F"], count["L"])),
        "fires.begin": rng.choice([-3.0, 0.0, 4.0, 9.0, 30.0, np.nan, np.inf],
                                  (count["F"], count["L"])),
        "overlays.state": state(rng),
        "changed_cells.how_many": rng.integers(0, count["M"] + 1, count["V"]),
        "changed_cells.cells": map_cells(rng, count["V"] * count["M"]).reshape(count["V"], -1),
        "crossing.child": rng.integers(-FAR, FAR + 1, count["D"]),
        "candidates.slot": 0, "candidates.kind": int(rng.choice([CLOSED, NARROW_BREAK])),
        "cells": map_cells(rng, ANY["cells"]),
        "first": np.sort(rng.integers(0, ANY["cells"] + 1, ANY["first"]))}
    parts = parts | {name: value for name, value in usual.items() if name in parts}
    left_out = {"spots.cells": 0.8, "rules.breach": 0.7, "rules.ready": 0.7, "rules.steps": 0.5,
                "arcs.edges": 0.3, "candidates.left": 0.5}
    for name, chance in left_out.items():
        if name in parts and rng.random() < chance:
            parts[name] = np.empty([0] * parts[name].ndim, parts[name].dtype)
    return parts | fuel(rng) if "arcs.metric" in parts and rng.random() < 0.7 else parts


def fuel(rng: np.random.Generator) -> Parts:
    """Arcs in which fire spreads, on an open map, in constant weather or not; all of a kept fire
    but its tree.
    """
    def some(*shape: int) -> np.ndarray:
        return rng.random((LENGTHS["R"], CELLS, *shape)).astype(np.float32)

    metric = some(5) * np.float32(0.2)
    metric[..., [0, 2]] += 1
    steps, shape = int(rng.integers(1, 3)), (LENGTHS["F"], CELLS)
    parts = {"arcs.metric": metric, "arcs.unit_time": some(8) + 1,
             "arcs.edges": some(8).astype(np.float64) + 1, "arcs.steps": steps,
             "rules.steps": np.full(LENGTHS["V"], steps),
             "scratch.status": np.zeros((LENGTHS["T"], LENGTHS["S"]), np.uint8),
             "store.time": rng.choice([np.inf, 0.0, 1.0, 5.0, 20.0], shape).astype(np.float32),
             "store.code": rng.choice([UNBURNED, *range(88), 254], shape).astype(np.uint8)}
    open_map = state(rng)
    open_map[(open_map != CLOSED) & (rng.random(open_map.shape) < 0.9)] = OPEN
    if rng.random() < 0.5:
        none = np.empty((0, 0), np.float32)
        parts |= {"rules.breach": none, "rules.ready": none}
    return parts | {"overlays.state": open_map}


def call(name: str, parts: Parts) -> None:
    layout = ENTRIES[name].layout
    args = [tuple(parts[f"{key}.{field}"] for field in part.parts) if isinstance(part, Layout)
            else parts[key] for key, part in layout.parts.items()]
    getattr(kernels, name)(*args)


def given_parts(name: str, seed: int) -> Parts:
    rng = np.random.default_rng(seed)
    return in_range(rng, made(ENTRIES[name].layout, rng))


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_whatever_arrays_hold_a_fire_stays_in_them(name: str, seed: int) -> None:
    call(name, given_parts(name, seed))


LAST = np.iinfo(np.int64).max
FIRST = -LAST - 1


def indices(*values: int) -> Callable[[Any], Iterator[Any]]:
    """Values in place of a number, or of an array's last one."""
    def put(before: Any) -> Iterator[Any]:
        for value in values:
            if isinstance(before, np.ndarray):
                after = before.copy()
                after.flat[-1] = value
                yield after
            else:
                yield value
    return put


BEYOND = indices(-1, FIRST, CELLS, LAST)
OFF_MAP = indices(-1, FIRST, 0, 2 * WIDTH + 4, 4 * WIDTH + 2, CELLS - 1, CELLS, LAST)
WRONG = {
    ("depends_on", "cell"): BEYOND,
    ("depends_on", "crossing.child"): indices(-CELLS, CELLS, FIRST, LAST),
    ("list_change", "slot"): indices(-1, 2, FIRST, LAST),
    ("list_change", "plan_fires"): indices(-1, 1, 3, FIRST, LAST, 2**62),
    ("list_change", "reward_fires"): indices(-1, 2, FIRST, LAST, 2**62),
    ("list_change", "changed_cells.how_many"): indices(-1, 6, FIRST, LAST),
    ("breaks_affect", "slots"): indices(-1, 2, FIRST, LAST),
    ("breaks_affect", "places"): OFF_MAP,
    ("breaks_affect", "width"): indices(0, -1, 1, 6, 7, 13, CELLS, LAST),
    ("breaks_affect", "plan_fires"): indices(-1, 3, LAST),
    ("breaks_affect", "crossing.child"): indices(-FAR - 1, FAR + 1, FIRST, LAST),
    ("breaks_affect", "changed_cells.how_many"): indices(-1, 6),
    ("reburn_many", "changed_cells.how_many"): indices(-1, 6, FIRST, LAST),
    ("try_lines", "cells"): OFF_MAP,
    ("try_lines", "first"): lambda first: [first[:-1], -first - 1, np.arange(5)[::-1].copy(),
                                           first + ANY["cells"] + 1]}
for _name in ("reburn_many", "try_lines"):
    WRONG |= {
        (_name, "which"): indices(-1, 6, FIRST, LAST),
        (_name, "width"): indices(0, -1, 1, 6, 7, 13, CELLS, FIRST, LAST),
        (_name, "arcs.sends_far"): lambda before: [np.empty((0, 0), np.uint32)],
        (_name, "arcs.steps"): indices(-1, 0, FIRST),
        (_name, "rules.class_limits"): lambda before: [np.zeros(6), np.zeros(300)],
        (_name, "crossing.child"): indices(-FAR - 1, FAR + 1, FIRST, LAST),
        (_name, "store.order"): lambda before: [np.empty((0, 0), np.int32)],
        (_name, "store.size"): lambda before: [np.empty(0, np.int32)],
        (_name, "store.burned"): lambda before: [np.empty((0, 0, 0), np.int32)]}
    for _field, _count in (("row", LENGTHS["R"]), ("later_row", LENGTHS["R"]),
                           ("overlay", LENGTHS["V"]), ("source", CELLS)):
        WRONG[_name, f"fires.{_field}"] = (
            lambda before, count=_count: [np.full_like(before, value)
                                          for value in (-1, FIRST, count, LAST)])
    if _name.startswith("try"):
        WRONG[_name, "candidates.slot"] = indices(-1, 2, FIRST, LAST)
        WRONG[_name, "candidates.kind"] = indices(-1, OPEN, NEAR, 6, 256, LAST)


@pytest.mark.parametrize(("name", "place"), WRONG)
def test_what_leads_out_of_an_array_is_refused_in_a_sentence(name: str, place: str) -> None:
    parts = given_parts(name, 0)
    if "rules.class_limits" in parts and not parts["rules.class_limits"].size:
        parts["rules.class_limits"] = np.zeros(5)
    if place == "fires.later_row":
        parts["fires.begin"] = np.full_like(parts["fires.begin"], -2.0)
    for value in WRONG[name, place](parts[place]):
        with pytest.raises((ValueError, TypeError)) as fault:
            call(name, parts | {place: value})
        assert "\n" not in str(fault.value)
        assert str(fault.value).startswith(f"{name}")


@pytest.mark.parametrize("name", ["reburn_many", "try_lines"])
def test_scratch_memory_for_a_smaller_map_is_refused(name: str,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LENGTHS, "S", CELLS - 1)
    with pytest.raises(ValueError, match="smaller map"):
        call(name, given_parts(name, 0))


def misshapen(part: ArrayLayout, array: np.ndarray) -> Iterator[Any]:
    """No array, another kind, more axes, gaps, another length, memory that cannot be written."""
    yield None
    yield array.tolist()
    yield np.zeros(array.shape, np.float16)
    yield array[None]
    gaps = np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 2), array.dtype)
    yield gaps[..., :array.shape[-1] * 2:2] if array.size > 1 else array[None]
    if len(part.axes) > 2 and part.axes[1].name == "P" and array.size:
        yield np.ascontiguousarray(array[:, :-1])
    if part.written:
        fixed = array.copy()
        fixed.flags.writeable = False
        yield fixed


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_another_kind_or_shape_are_refused(name: str) -> None:
    parts = given_parts(name, 3)

    def refused(layout: Layout, before: str) -> None:
        for key, part in layout.parts.items():
            if isinstance(part, Layout):
                refused(part, f"{key}.")
            elif isinstance(part, ArrayLayout):
                for value in misshapen(part, parts[before + key]):
                    with pytest.raises((TypeError, ValueError)):
                        call(name, parts | {before + key: value})

    refused(ENTRIES[name].layout, "")


def test_what_lies_beyond_the_padded_map_did_not_burn() -> None:
    codes = np.full((2, CELLS), UNBURNED, np.uint8)
    codes[1, 0] = codes[1, WIDTH - 1] = 0
    assert not kernels.burned_near(CELLS - 1, 2 * REACH, WIDTH, codes).any()
    assert not kernels.burned_near(WIDTH - 1 + WIDTH * REACH, REACH - 1, WIDTH, codes).any()
    assert kernels.burned_near(WIDTH * REACH, REACH, WIDTH, codes).tolist() == [False, True]
