"""The mean of a network's values over the eight symmetries, as labels for the network itself."""

import numpy as np
import pytest
import torch
from torch import Tensor

from firebreak.agent.distillation import DRAWN, LEADING, lesson, open_actions, views_of
from firebreak.agent.network import QMapNetwork
from firebreak.agent.symmetry import SYMMETRIES, turn_line_actions, turn_map, turn_observation
from firebreak.agent.targets import unit_of
from firebreak.env.actions import allowed
from firebreak.env.sources import ProblemSource, synthetic_landscapes, treat_inside
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.fire import FireConditions
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES, shape_cells

SIDE = 9


def network(shapes: int, continuation: bool = False) -> QMapNetwork:
    torch.manual_seed(3)
    made = QMapNetwork(OBSERVATION.channels, 6, shapes=shapes, continuation=continuation)
    with torch.no_grad():
        for weights in made.parameters():
            weights.add_(0.1 * torch.randn(weights.shape))
    return made


def observation(count: int = 2) -> Tensor:
    torch.manual_seed(4)
    made = torch.rand((count, OBSERVATION.channels, SIDE, SIDE))
    for name in ("available", "burnable", "breaks"):
        at = OBSERVATION.channel(name)
        made[:, at] = (made[:, at] > (0.8 if name == "breaks" else 0.2)).float()
    made[:, OBSERVATION.channel("best_downstream")] = 0.7
    return made


def turns_exactly(number: int) -> bool:
    """Whether lines of this shape turn into lines of the same cells: those along the axes and
    diagonals. Of two cells, a line of a direction between them has the cells of one of these, but
    turns as its direction does.
    """
    step = shape_cells(number)[-1] - shape_cells(number)[0]
    twice = any(np.array_equal(shape_cells(number), shape_cells(other)) for other in range(number))
    return not twice and (abs(step[0]) == abs(step[1]) or 0 in step)


@pytest.mark.parametrize("shapes", [1, SHAPES])
@pytest.mark.parametrize("continuation", [False, True])
def test_a_mean_is_that_of_the_views_in_which_the_line_lies_inside(shapes: int,
                                                                   continuation: bool) -> None:
    seen, net = observation(), network(shapes, continuation)
    views = views_of(net, seen, OBSERVATION)
    with torch.no_grad():
        parts = [net.parts(turn_observation(seen, k, OBSERVATION)) for k in range(SYMMETRIES)]
    for action in np.random.default_rng(0).integers(shapes * SIDE**2, size=60).tolist():
        own, after = [], []
        for k, (gain, later) in enumerate(parts):
            to, inside = turn_line_actions(torch.tensor([action]), k, SIDE)
            if inside:
                own.append(gain[:, to[0]])
                after.append(torch.zeros(2) if later is None else later[:, to[0]])
        assert torch.allclose(views.gain[:, action], torch.stack(own).mean(0), atol=1e-5)
        if views.later is not None:
            assert torch.allclose(views.later[:, action], torch.stack(after).mean(0), atol=1e-5)
        largest = (torch.stack(own) + torch.stack(after)).amax(0)
        assert torch.allclose(views.largest[:, action], largest, atol=1e-5)
    assert (views.later is not None) == continuation


@pytest.mark.parametrize("k", range(SYMMETRIES))
def test_a_turned_map_has_the_same_means(k: int) -> None:
    """Of lines that turn into lines of the same cells; one view has no such property."""
    seen, net = observation(), network(SHAPES)
    shapes = [number for number in range(SHAPES) if turns_exactly(number)]
    actions = torch.cat([torch.arange(n * SIDE**2, (n + 1) * SIDE**2) for n in shapes])
    to, inside = turn_line_actions(actions, k, SIDE)
    here = views_of(net, seen, OBSERVATION).gain[:, actions[inside]]
    there = views_of(net, turn_observation(seen, k, OBSERVATION), OBSERVATION).gain[:, to[inside]]
    lines_inside = torch.tensor([_fits(int(action)) for action in actions[inside]])
    assert torch.allclose(here[:, lines_inside], there[:, lines_inside], atol=1e-5)
    if k:
        one, other = (net(part) for part in (seen, turn_observation(seen, k, OBSERVATION)))
        assert not torch.allclose(one[:, actions[inside]], other[:, to[inside]], atol=1e-2)


def _fits(action: int) -> bool:
    number, middle = divmod(action, SIDE**2)
    cells = shape_cells(number) + np.array(divmod(middle, SIDE))
    return bool(((cells >= 0) & (cells < SIDE)).all())


def test_lines_that_turn_exactly_have_the_same_cells_on_the_turned_map() -> None:
    """What the test above takes for granted."""
    side, middle = 61, 30 * 61 + 30
    exact = [number for number in range(SHAPES) if turns_exactly(number)]
    assert len(exact) == 33
    for number in exact:
        for k in range(SYMMETRIES):
            drawn = torch.zeros((side, side))
            drawn[tuple((shape_cells(number) + 30).T)] = 1.0
            to, inside = turn_line_actions(torch.tensor([number * side**2 + middle]), k, side)
            shape, centre = divmod(int(to[0]), side**2)
            found = torch.zeros((side, side))
            found[tuple((shape_cells(shape) + np.array(divmod(centre, side))).T)] = 1.0
            assert bool(inside[0])
            assert torch.equal(found, turn_map(drawn, k))


@pytest.mark.parametrize("lines", [False, True])
def test_open_actions_are_those_that_the_environment_allows_a_full_purse(lines: bool) -> None:
    land = synthetic_landscapes(12, "train")
    source = ProblemSource(
        shape=(12, 12), landscape=lambda seed, episode: treat_inside(land(seed, episode), 2),
        conditions=FireConditions(), budget_share=0.95, plan_fires=8, reward_fires=1, lines=lines)
    env = FuelbreakVectorEnv(source, 4)
    seen, _ = env.reset(seed=1)
    draw = np.random.default_rng(2)
    for _ in range(3):
        open_now = open_actions(torch.from_numpy(seen), SHAPES if lines else 1, OBSERVATION)
        may = allowed(env.slots, np.arange(4), lines)
        assert (open_now.numpy() == may).all()
        assert 0 < may.sum() < may.size
        seen, *_ = env.step(np.array([draw.choice(np.flatnonzero(row[:800])) for row in may]))


def test_labels_are_means_in_shares_of_the_loss_of_leading_and_drawn_lines(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.agent.distillation.LEADING", 30)
    monkeypatch.setattr("firebreak.agent.distillation.DRAWN", 20)
    seen, net = observation(), network(SHAPES, continuation=True)
    taught = lesson(net, seen, OBSERVATION, torch.Generator().manual_seed(0))
    views, free = views_of(net, seen, OBSERVATION), open_actions(seen, SHAPES, OBSERVATION)
    assert taught.line is not None
    assert taught.returns is not None
    assert views.later is not None
    unit = unit_of(seen, OBSERVATION)
    for row, line in enumerate(taught.line):
        assert free[row, line].all()
        best = views.largest[row].masked_fill(~free[row], -torch.inf).topk(30).indices
        assert line[:30].tolist() == best.tolist()
        assert len(set(line[30:].tolist())) == 20
        assert torch.equal(taught.gain[row], (views.gain * unit[:, None])[row, line])
        assert torch.equal(taught.returns[row], (views.later * unit[:, None])[row, line])


def test_where_few_lines_are_open_the_others_have_no_label() -> None:
    seen = observation(1)
    seen[:, OBSERVATION.channel("available")] = 0.0
    seen[:, OBSERVATION.channel("available"), 4, 3:5] = 1.0
    taught = lesson(network(SHAPES), seen, OBSERVATION, torch.Generator())
    known = ~taught.gain[0].isnan()
    assert taught.gain.shape == (1, LEADING + DRAWN)
    assert taught.line is not None
    free = set(torch.nonzero(open_actions(seen, SHAPES, OBSERVATION)[0])[:, 0].tolist())
    assert set(taught.line[0][known].tolist()) == free
    cells = lesson(network(1), seen, OBSERVATION, torch.Generator())
    assert cells.line is None
    assert (~cells.gain[0].isnan()).nonzero()[:, 0].tolist() == [4 * SIDE + 3, 4 * SIDE + 4]
