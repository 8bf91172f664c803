"""The batched engine on a torch device burns what the compiled engine burns."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.engine import burn, burn_statistics
from firebreak.fire.fires import Fires
from firebreak.fire.ring import IGNITION, UNBURNED
from firebreak.fire.shading import treated_part
from firebreak.fire.torch_burn import relax
from firebreak.fire.torch_engine import burn_on_device
from firebreak.fire.torch_field import to_device
from firebreak.fire.torch_metric import fields_from_ellipses
from firebreak.fire.torch_overlay import on_device, overlays_of
from firebreak.fire.torch_tree import tree_of
from firebreak.fire.torch_ways import DeviceFires
from firebreak.fire.travel import (
    BreakRules,
    Ellipse,
    TravelField,
    field_from_ellipse,
    pad,
    padded_cells,
    unpad,
)
from strategies import CELL_SIZE_M, Case, cases, ellipse_like, random_case

MODES = st.sampled_from(["front", "graph"])
SEEDS = st.integers(0, 2**32 - 1)


def with_rules(case: Case, mode: str, rules: str, seed: int) -> TravelField:
    rng, field = np.random.default_rng(seed), case.field(mode)
    breaks = BreakRules(leak=rules == "leak", lost=0.4 if "narrow" in rules else 0.0)
    if "breach" in rules:
        chance = rng.random((case.ellipse.head.shape[0], *case.burnable.shape))
        breaks = breaks._replace(breach=pad(chance.astype(np.float32)))
    if rules == "shaded":
        other = Ellipse(*(0.3 * rate for rate in case.ellipse[:3]), case.ellipse.heading_deg)
        breaks = breaks._replace(treated=treated_part(
            field, field_from_ellipse(other, case.burnable, CELL_SIZE_M, mode)))
    return field._replace(breaks=breaks)


def landscapes(seed: int, count: int) -> list[Case]:
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(1, 14, 2).tolist()
    return [random_case(rng, rows, cols, fires=int(rng.integers(1, 6)),
                        scenarios=int(rng.integers(1, 4)),
                        roughness=rng.choice([0.0, 0.1, 0.5])) for _ in range(count)]


def stacked(listed: list[Case], name: str) -> np.ndarray:
    return np.stack([getattr(case, name) for case in listed])


@given(cases(16), MODES)
@settings(max_examples=40, deadline=None)
def test_arrival_times_have_the_bits_of_the_compiled_engine(case: Case, mode: str) -> None:
    field = case.field(mode)
    made = burn_on_device(field, case.fires, case.value, case.breaks, downstream=True)
    known = burn(field, case.fires, case.value, case.breaks)
    means = burn_statistics(field, case.fires, case.value, case.breaks)
    np.testing.assert_array_equal(made.arrival_time_min, known.arrival_time_min)
    np.testing.assert_allclose(made.loss, known.loss, rtol=1e-12)
    np.testing.assert_array_equal(made.burn_probability[0], means.burn_probability)
    np.testing.assert_allclose(made.downstream_value[0], means.downstream_value, rtol=1e-9,
                               atol=1e-12)


@given(cases(20), MODES)
@settings(max_examples=30, deadline=None)
def test_float32_is_within_its_promise(case: Case, mode: str) -> None:
    field = case.field(mode)
    made = burn_on_device(field, case.fires, case.value, case.breaks, arithmetic="float32")
    endless = case.fires._replace(duration_min=np.full(4, np.inf))
    true = burn(field, endless, case.value, case.breaks).arrival_time_min
    arrival, duration = made.arrival_time_min.numpy(), case.fires.duration_min[:, None, None]
    burned = np.isfinite(arrival)
    np.testing.assert_allclose(arrival[burned], true[burned], rtol=1e-5)
    assert (true[burned] <= np.broadcast_to(duration * (1 + 1e-5), true.shape)[burned]).all()
    left = ~burned & np.isfinite(true)
    assert (true[left] >= np.broadcast_to(duration * (1 - 1e-5), true.shape)[left]).all()


@given(cases(14, fires=6), MODES,
       st.sampled_from(["leak", "narrow", "breach", "narrow-breach", "shaded"]), SEEDS)
@settings(max_examples=40, deadline=None)
def test_breaks_do_what_they_do_in_the_compiled_engine(case: Case, mode: str, rules: str,
                                                       seed: int) -> None:
    field = with_rules(case, mode, rules, seed)
    made = burn_on_device(field, case.fires, case.value, case.breaks, downstream=True)
    known = burn(field, case.fires, case.value, case.breaks)
    means = burn_statistics(field, case.fires, case.value, case.breaks)
    np.testing.assert_array_equal(made.arrival_time_min, known.arrival_time_min)
    np.testing.assert_allclose(made.loss, known.loss, rtol=1e-9)
    np.testing.assert_allclose(made.downstream_value[0], means.downstream_value, rtol=1e-9,
                               atol=1e-12)


@pytest.mark.slow
@given(SEEDS, MODES, st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_landscapes_side_by_side_burn_like_each_alone(seed: int, mode: str, count: int) -> None:
    listed = landscapes(seed, count)
    together = burn_on_device([case.field(mode) for case in listed],
                              [case.fires for case in listed], stacked(listed, "value"),
                              stacked(listed, "breaks"), downstream=True)
    alone = [burn_on_device(case.field(mode), case.fires, case.value, case.breaks,
                            downstream=True) for case in listed]
    counts = [case.fires.source.size for case in listed]
    np.testing.assert_array_equal(together.landscape, np.repeat(np.arange(count), counts))
    for name in ("loss", "arrival_time_min", "burn_probability"):
        np.testing.assert_array_equal(getattr(together, name),
                                      torch.cat([getattr(one, name) for one in alone]))
    np.testing.assert_allclose(together.downstream_value,
                               torch.cat([one.downstream_value for one in alone]), rtol=1e-12,
                               atol=1e-12)


@given(SEEDS, MODES, st.sampled_from(["", "narrow", "breach"]))
@settings(max_examples=30, deadline=None)
def test_each_fire_meets_its_own_breaks(seed: int, mode: str, rules: str) -> None:
    listed, rng = landscapes(seed, 2), np.random.default_rng(seed)
    fields = [with_rules(case, mode, rules, seed) for case in listed]
    fires = [case.fires for case in listed]
    breaks = rng.random((sum(one.source.size for one in fires), *listed[0].burnable.shape)) < 0.3
    made = burn_on_device(fields, fires, stacked(listed, "value"), breaks, breaks_of="fire")
    at = 0
    for case, field in zip(listed, fields, strict=True):
        for k in range(case.fires.source.size):
            # The overlay holds breaks where the map burns.
            one = burn(field, case.fires.part(slice(k, k + 1)), case.value,
                       breaks[at] & case.burnable)
            np.testing.assert_array_equal(made.arrival_time_min[at], one.arrival_time_min[0])
            np.testing.assert_allclose(made.loss[at], one.loss[0], rtol=1e-9)
            at += 1


@pytest.mark.slow
@given(cases(14, fires=9), MODES, st.sampled_from([1, 10_000, 200_000]))
@settings(max_examples=25, deadline=None)
def test_little_memory_changes_nothing(case: Case, mode: str, most_bytes: int) -> None:
    field = case.field(mode)
    case.fires.duration_min[:] = np.minimum(case.fires.duration_min, 15.0)
    much, little = (burn_on_device(field, case.fires, case.value, case.breaks, downstream=True,
                                   most_bytes=most) for most in (2**30, most_bytes))
    np.testing.assert_array_equal(much.arrival_time_min, little.arrival_time_min)
    np.testing.assert_array_equal(much.burn_probability, little.burn_probability)
    np.testing.assert_allclose(much.downstream_value, little.downstream_value, rtol=1e-12,
                               atol=1e-12)


def device_parts(case: Case, field: TravelField) -> tuple:
    """(fields, overlays, fires) as `relax` takes them."""
    fields = to_device(field)
    host = overlays_of(case.fires, case.burnable, case.breaks[None], field.breaks)
    fires = DeviceFires(*(torch.from_numpy(part) for part in (
        case.fires.scenario, host.of_fire,
        padded_cells(case.fires.source, case.burnable.shape[1]), case.fires.duration_min)))
    return fields, on_device(host, case.burnable.shape[1], fields.step_cost), fires


@given(cases(10), MODES, st.integers(1, 40))
@settings(max_examples=25, deadline=None)
def test_the_order_of_visits_does_not_matter(case: Case, mode: str, most_pairs: int) -> None:
    """A short list visits the lowest cells first, whatever the time there."""
    field = case.field(mode)
    arrival = relax(*device_parts(case, field), most_pairs)
    known = burn(field, case.fires, case.value, case.breaks).arrival_time_min
    np.testing.assert_array_equal(unpad(arrival.numpy(), field.shape), known)


def test_a_time_that_was_too_early_for_a_while_is_forgotten() -> None:
    """In very mixed fuel a later end may lead to an earlier arrival: what a visit finds while the
    ends are not settled can be too early. On these maps that happens.
    """
    for seed in (20, 37, 40, 47):
        case = random_case(np.random.default_rng(seed), 16, 16, fires=8, roughness=1.0,
                           turning=90.0, unburnable=0.05)
        case.fires.duration_min[:] = np.inf
        np.testing.assert_array_equal(
            burn_on_device(case.field(), case.fires, case.value).arrival_time_min,
            burn(case.field(), case.fires, case.value).arrival_time_min)


def test_a_child_is_later_than_its_parent_even_where_its_own_time_is_lost_in_rounding() -> None:
    head = np.array([[[1e-4, 1e-4, 1e-4, 1e4, 1e4, 1e4]]])
    case = random_case(np.random.default_rng(0), 1, 6, scenarios=1, fires=1, unburnable=0.0)
    case = case._replace(ellipse=ellipse_like(head, 1.0, 0.0), burnable=np.ones((1, 6), bool))
    case.fires.source[:], case.fires.duration_min[:] = 0, np.inf
    for mode in ("front", "graph"):
        arrival = burn_on_device(case.field(mode), case.fires, case.value).arrival_time_min[0, 0]
        assert (arrival.diff() > 0).all()
        np.testing.assert_array_equal(
            arrival, burn(case.field(mode), case.fires, case.value).arrival_time_min[0, 0])


@given(cases(14), MODES, st.booleans())
@settings(max_examples=30, deadline=None)
def test_parents_are_those_of_the_compiled_engine(case: Case, mode: str, round_fires: bool) -> None:
    """Round fires reach many cells by two ways at the same time."""
    if round_fires:
        even = ellipse_like(np.full(case.ellipse.head.shape, 10.0), 1.0, 0.0)
        case = case._replace(ellipse=even)
    field = case.field(mode)
    parts = device_parts(case, field)
    arrival = relax(*parts, 4096)
    tree = tree_of(*parts, arrival, 100)
    code = torch.full(arrival.shape, UNBURNED, dtype=torch.uint8)
    code.reshape(-1)[tree.pairs] = tree.code
    code[torch.arange(4), parts[2].source] = IGNITION
    known = burn(field, case.fires, case.value, case.breaks).parent_code
    np.testing.assert_array_equal(unpad(code.numpy(), field.shape), known)


@given(SEEDS, MODES, st.booleans())
@settings(max_examples=20, deadline=None)
def test_fields_made_on_the_device_are_those_made_off_it(seed: int, mode: str,
                                                         sloping: bool) -> None:
    rng, listed = np.random.default_rng(seed), landscapes(seed, 1)
    listed += [random_case(rng, *listed[0].burnable.shape,
                           scenarios=listed[0].ellipse.head.shape[0]) for _ in range(2)]
    shape = (3, *listed[0].burnable.shape)
    slope, aspect = rng.uniform(0.0, 1.0, shape) * sloping, rng.uniform(0.0, 360.0, shape)
    ellipse = Ellipse(*(np.stack(grids) for grids in zip(*(case.ellipse for case in listed),
                                                         strict=True)))
    made = fields_from_ellipses(ellipse, stacked(listed, "burnable"), CELL_SIZE_M, mode,
                                slope_tan=slope, aspect_deg=aspect)
    known = to_device([field_from_ellipse(case.ellipse, case.burnable, CELL_SIZE_M, mode, *land)
                       for case, *land in zip(listed, slope, aspect, strict=True)])
    assert (made.shape, made.first_row) == (known.shape, known.first_row)
    for name in ("burnable", "step_code", "segment_code"):
        np.testing.assert_array_equal(getattr(made, name), getattr(known, name))
    for name in ("metric", "step_cost"):
        np.testing.assert_allclose(getattr(made, name), getattr(known, name), rtol=1e-6)
    inside = padded_cells(np.arange(slope[0].size), shape[2])
    np.testing.assert_array_equal(*(field.sends.reshape(-1, field.burnable.shape[1])[:, inside]
                                    for field in (made, known)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, by torch
@pytest.mark.parametrize("mode", ["front", "graph"])
def test_compiled_visits_have_the_same_bits(mode: str) -> None:
    for seed in range(3):
        case = random_case(np.random.default_rng(seed), 24, 19, fires=8)
        made = burn_on_device(case.field(mode), case.fires, case.value, case.breaks, fused=True)
        known = burn(case.field(mode), case.fires, case.value, case.breaks)
        np.testing.assert_array_equal(made.arrival_time_min, known.arrival_time_min)


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, by torch
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("arithmetic", ["float64", "float32"])
@pytest.mark.parametrize("mode", ["front", "graph"])
def test_a_cuda_device_burns_what_the_processor_burns(cuda: str, mode: str, arithmetic: str,
                                                      fused: bool) -> None:
    for seed in range(5):
        listed = landscapes(seed, 3)
        fires = [Fires(*case.fires[:2], np.full(case.fires.source.size, np.inf), case.fires.key)
                 for case in listed]
        fields = [case.field(mode) for case in listed]
        made = burn_on_device(fields, fires, stacked(listed, "value"), stacked(listed, "breaks"),
                              device=cuda, arithmetic=arithmetic, downstream=True, fused=fused)
        known = burn_on_device(fields, fires, stacked(listed, "value"), stacked(listed, "breaks"),
                               downstream=True)
        np.testing.assert_allclose(made.arrival_time_min.cpu(), known.arrival_time_min, rtol=1e-5)
        np.testing.assert_array_equal(made.burn_probability.cpu(), known.burn_probability)
        np.testing.assert_allclose(made.loss.cpu(), known.loss, rtol=1e-9)
        np.testing.assert_allclose(made.downstream_value.cpu(), known.downstream_value,
                                   rtol=1e-2, atol=1e-2)


@pytest.mark.gpu
def test_fields_made_on_a_cuda_device_are_those_made_off_it(cuda: str) -> None:
    case = random_case(np.random.default_rng(1), 30, 20)
    ellipse = Ellipse(*(grid[None] for grid in case.ellipse))
    made = fields_from_ellipses(ellipse, case.burnable[None], CELL_SIZE_M, device=cuda)
    known = to_device(case.field())
    np.testing.assert_allclose(made.metric.cpu(), known.metric, rtol=1e-6)
    differs = (made.step_code.cpu() != known.step_code).float().mean()
    assert differs < 1e-3  # a bit may turn where the ellipse is acute by a hair


@pytest.fixture
def cuda() -> str:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device that torch can use")
    return "cuda"
