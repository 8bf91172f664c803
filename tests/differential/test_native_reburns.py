"""Kernels that burn fires again against those before them: each call of a store of fires is made
by both, and all that either writes has the same bits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from break_cases import HARD_KINDS, KINDS, by_class, slots_on, with_rules
from firebreak.env.gains import gains_of_cells, gains_of_lines
from firebreak.env.storage.slots import Slots, sizes_for
from firebreak.fire.engine import burn
from firebreak.fire.incremental import fire_store, kernels
from firebreak.fire.jobs import workspace
from firebreak.fire.travel.arc_kernel import Arcs
from firebreak.fire.travel.travel_field import unpad
from firebreak.native_library import max_threads, set_threads
from strategies import random_case

SIDES = ((1, 1), (1, 9), (7, 2), (12, 12), (16, 11), (40, 40))
ONE = np.zeros(1, np.int64)


def copied(value: Any) -> Any:
    """The same tuple with arrays of its own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        parts = [copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def given_now(name: str, args: tuple) -> tuple:
    """The arguments of the kernel before as the native one takes them."""
    args = tuple(tuple(arg)[:11] if isinstance(arg, Arcs) else arg for arg in args)
    if name == "list_change":
        return (*args[:2], *args[2][1:], *args[3:])
    if name == "breaks_affect":
        return (*args[:2], args[3], *args[4][1:], *args[5:])
    return args


def assert_same(name: str, made: Any, wanted: Any, where: str = "") -> None:
    """All arrays of two tuples have the same bits."""
    if isinstance(made, tuple):
        names = getattr(made, "_fields", range(len(made)))
        for field, a, b in zip(names, made, wanted, strict=True):
            assert_same(name, a, b, f"{where}.{field}")
    elif isinstance(made, np.ndarray):
        if where.endswith((".burned", ".downstream")):  # which thread adds a fire is open
            made, wanted = made.sum(axis=0), wanted.sum(axis=0)
        assert made.tobytes() == wanted.tobytes(), f"{name}{where}"
    else:
        assert made == wanted, f"{name}{where}"


def without_scratch(args: tuple) -> tuple:
    """What a kernel was given but for memory that means nothing after it."""
    return tuple(arg for arg in args
                 if type(arg).__name__ not in ("Workspace", "Changes") and not (
                     isinstance(arg, np.ndarray) and arg.ndim == 2 and arg.dtype == np.uint8
                     and arg.shape[0] == max_threads()))


def clean(args: tuple) -> None:
    """Scratch memory is as it has to be between fires."""
    for arg in args:
        if type(arg).__name__ == "Workspace":
            assert (arg.status == 0).all()
            assert (arg.counts == 0).all()
            assert (arg.stopped[:, 0] == 0).all()
        elif type(arg).__name__ == "Changes":
            assert (arg.how_many == 0).all()
            assert (arg.more == 0).all()


CALLS: dict[str, int] = {}


def both(name: str) -> Callable[..., None]:
    """A kernel that compares."""
    before, now = getattr(fire_store, name), getattr(kernels, name)

    def call(*args: Any) -> None:
        other = given_now(name, copied(args))
        before(*args)
        now(*other)
        CALLS[name] = CALLS.get(name, 0) + 1
        assert_same(name, without_scratch(other), without_scratch(given_now(name, args)))
        clean(other)
    return call


@pytest.fixture(autouse=True)
def _compared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("breaks_affect", "burned_near", "depends_on", "list_change", "reburn_many",
                 "try_breaks", "try_lines"):
        monkeypatch.setattr(fire_store, name, both(name))


def slots_by(rng: np.random.Generator, kind: str, sides: tuple[int, int], steps: int,
             classes: bool) -> tuple[Slots, Any]:
    seed = int(rng.integers(2**32))
    case = random_case(rng, *sides, scenarios=2 * steps, fires=10,
                       unburnable=rng.choice([0.0, 0.1, 0.35]), broken=0.0,
                       roughness=rng.choice([0.0, 0.1, 0.5, 2.0]),
                       turning=rng.choice([0.0, 10.0, 90.0, 180.0]))
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario % 2))
    return slots_on(case, with_rules(case, "front", kind, seed, steps),
                    by_class(case) if classes else case.value[None])


def toggle(slots: Slots, cell: int) -> None:
    if slots.breaks[0].flat[cell]:
        slots.remove(0, cell)
    elif slots.available[0].flat[cell]:
        slots.place(0, cell)


def place_some(slots: Slots, cells: np.ndarray) -> None:
    slots.place_each(np.zeros(cells.size, np.int64), cells)


def toggle_often(rng: np.random.Generator, slots: Slots, times: int) -> None:
    """Breaks that come and go close together, ignitions among them, some anywhere."""
    rows, cols = slots.breaks[0].shape
    for _ in range(times):
        row, col = rng.integers(rows), rng.integers(cols)
        for down, right in rng.integers(-3, 4, (int(rng.integers(1, 5)), 2)):
            toggle(slots, int(np.clip(row + down, 0, rows - 1) * cols
                              + np.clip(col + right, 0, cols - 1)))
        broken = np.flatnonzero(slots.breaks[0])
        if broken.size and rng.random() < 0.5:
            toggle(slots, int(rng.choice(broken)))
        if rng.random() < 0.3:
            place_some(slots, rng.integers(0, rows * cols, 3))
        if rng.random() < 0.8:
            slots.update(ONE)
    slots.update(ONE)


@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_breaks_that_come_and_go(kind: str, steps: int) -> None:
    for k, sides in enumerate(SIDES):
        rng = np.random.default_rng([k, steps, KINDS.index(kind)])
        slots, problem = slots_by(rng, kind, sides, steps, classes=k % 2 == 0)
        set_threads(1 + k % max_threads())
        toggle_often(rng, slots, 12)
        anew = burn(problem.scene.field, problem.plan_fires, problem.scene.value_by_class,
                    slots.breaks[0])
        np.testing.assert_array_equal(
            unpad(slots.fires.code[slots.plan_ids(0)], problem.scene.field.shape),
            anew.parent_code)


@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize("kind", HARD_KINDS)
def test_breaks_and_lines_that_are_tried(kind: str, steps: int) -> None:
    for k, sides in enumerate(SIDES):
        rng = np.random.default_rng([k, steps, HARD_KINDS.index(kind), 1])
        slots, _ = slots_by(rng, kind, sides, steps, classes=k % 2 == 0)
        toggle_often(rng, slots, 3)
        gains_of_cells(slots, 0, rng.permutation(slots.breaks[0].size)[:200])
        free = np.flatnonzero(slots.available[0])
        gains_of_lines(slots, 0, [rng.permutation(free)[:count] for count in (1, 2, 7, 0, 3)])


@pytest.mark.parametrize("seed", range(12))
def test_rough_maps_where_cells_that_stood_burn_earlier(seed: int) -> None:
    rng = np.random.default_rng(seed if seed > 1 else [3, 166][seed])
    size = int(rng.integers(20, 60))
    case = random_case(rng, size, size, scenarios=4, fires=12,
                       roughness=float(rng.choice([0.0, 0.3, 1.0, 3.0])),
                       turning=float(rng.choice([0.0, 30.0, 180.0])),
                       unburnable=float(rng.choice([0.0, 0.1, 0.3])), broken=0.0)
    slots, _ = slots_on(case, with_rules(case, "front", "hard", seed, 1), by_class(case))
    for _ in range(25):
        for cell in rng.integers(size * size, size=rng.integers(1, 4)).tolist():
            toggle(slots, cell)
        broken = np.flatnonzero(slots.breaks[0])
        if broken.size and rng.random() < 0.3:
            toggle(slots, int(rng.choice(broken)))
        slots.update(ONE)


def test_stores_that_share_room_for_a_larger_map() -> None:
    rng = np.random.default_rng(9)
    _, problem = slots_by(rng, "hard", (12, 12), 1, classes=True)
    slots = Slots(sizes_for(problem.scene, 1, 5, 5), scratch=workspace(2000))
    slots.load(0, problem)
    slots.update(ONE, fresh=True)
    toggle_often(rng, slots, 12)


def test_more_breaks_than_are_listed() -> None:
    """Then fires burn anew as a whole."""
    rng = np.random.default_rng(5)
    slots, _ = slots_by(rng, "hard", (20, 20), 1, classes=True)
    place_some(slots, rng.permutation(400)[:fire_store.MAX_CHANGES + 20])
    slots.update(ONE)
    for cell in np.flatnonzero(slots.breaks[0]).tolist():
        toggle(slots, cell)
    slots.update(ONE)
