"""Values of paths: those of line actions where a path is one, and of shapes near it elsewhere."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.agent.network import QMapNetwork
from firebreak.agent.own_network import OwnNetwork, with_network
from firebreak.agent.path_values import paths_of
from firebreak.layout import OBSERVATION
from firebreak.line_actions import LINE_LENGTHS, SHAPES, action_cells, shape_cells

SIZE = 40
MIDDLE = 20 * SIZE + 20


def seen(seed: int = 0) -> torch.Tensor:
    draws = torch.Generator().manual_seed(seed)
    return torch.rand((1, OBSERVATION.channels, SIZE, SIZE), generator=draws)


def network(seed: int = 0) -> QMapNetwork:
    torch.manual_seed(seed)
    return QMapNetwork(OBSERVATION.channels, 8, SHAPES).eval()


def same_cells(number: int) -> list[int]:
    """Shapes of the same cells: the shortest lines of neighbouring directions are one line."""
    own = sorted(map(tuple, shape_cells(number).tolist()))
    return [other for other in range(SHAPES)
            if sorted(map(tuple, shape_cells(other).tolist())) == own]


def span(number: int, joined: bool) -> tuple[int, set[tuple[int, int]]]:
    """Cells of a shape, and from end to end either way."""
    cells = shape_cells(number, joined)
    row, col = (cells[-1] - cells[0]).tolist()
    return len(cells), {(row, col), (-row, -col)}


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_a_line_action_is_of_its_own_shape_in_its_own_middle(backward: bool, joined: bool) -> None:
    cells = [action_cells(number * SIZE**2 + MIDDLE, (SIZE, SIZE), joined)
             for number in range(SHAPES)]
    paths = paths_of([own[::-1] if backward else own for own in cells], SIZE, joined)
    assert joined or paths.middle.tolist() == [MIDDLE] * SHAPES
    for number, (like, middle) in enumerate(zip(paths.like, paths.middle, strict=True)):
        found = int(like.argmax())
        assert like.max() == 1.0 == like.sum()
        assert found in same_cells(number) or (joined and span(found, True) == span(number, True))
        assert middle == MIDDLE or len(cells[number]) == 2  # west to east, as its shape


@torch.no_grad()
def test_a_line_action_is_worth_as_a_path_what_it_is_worth() -> None:
    own, observation = network(), seen()
    numbers = [number for number in range(SHAPES) if same_cells(number) == [number]]
    assert len(numbers) > SHAPES // 2
    actions = torch.tensor([[number * SIZE**2 + MIDDLE for number in numbers]])
    paths = paths_of([action_cells(int(action), (SIZE, SIZE), False) for action in actions[0]],
                     SIZE)
    torch.testing.assert_close(own.values_along(observation, paths),
                               own.values_at(observation, actions)[0])


def slow_value(own: QMapNetwork, observation: torch.Tensor, path: np.ndarray,
               like: np.ndarray) -> float:
    """By loops over shapes and cells."""
    fine, part, summary = own._fine(observation)
    cells = fine[0, :, *part].flatten(1).T
    assert own.along is not None
    ahead = path if (path[-1] // SIZE, path[-1] % SIZE) >= (
        path[0] // SIZE, path[0] % SIZE) else path[::-1]
    total = 0.0
    for number in np.flatnonzero(like).tolist():
        head, along = own.head.weight[number, :, 0, 0], own.along.weight[number, :, 0, 0]
        mean = sum(along @ cells[cell] for cell in path.tolist()) / path.size
        total += like[number] * float(
            head @ cells[ahead[path.size // 2]] + own.head.bias[number] + mean
            + own.along.bias[number] + own.base(summary)[0, number])
    return total


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60))
@torch.no_grad()
def test_a_path_that_turns_is_read_along_its_own_cells(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.integers(-1, 2, (size - 1, 2)).cumsum(0)
    row, col = np.clip(np.concatenate([[[0, 0]], steps]) + rng.integers(0, SIZE, 2), 0, SIZE - 1).T
    path, own, observation = row * SIZE + col, network(seed % 3), seen(seed)
    paths = paths_of([np.array([5]), path], SIZE)
    like = paths.like[1].numpy()
    assert like.sum() == pytest.approx(1.0)
    assert like.min() >= 0.0
    assert like[0] == (size == 1)
    assert float(own.values_along(observation, paths)[1]) == pytest.approx(
        slow_value(own, observation, path, like), rel=1e-4, abs=1e-5)


def test_a_path_is_like_shapes_of_its_length_and_direction() -> None:
    east = 12 * SIZE + np.arange(3, 13)  # 10 cells, between 8 and 12
    long = 12 * SIZE + np.arange(3, 38)
    ring = np.array([0, 1, 2, SIZE + 2, 2 * SIZE + 2, 2 * SIZE + 1, 2 * SIZE, SIZE, 0])
    like = paths_of([east, long, ring, ring[:-1]], SIZE).like.numpy()
    lengths = {length: 1 + place for place, length in enumerate(LINE_LENGTHS)}
    assert set(np.flatnonzero(like[0])) == {lengths[8], lengths[12]}
    assert like[0, lengths[8]] == pytest.approx(np.log(12 / 10) / np.log(12 / 8))
    assert np.flatnonzero(like[1]).tolist() == [lengths[24]]
    for closed in like[2:]:
        of_directions = closed[1:].reshape(-1, len(LINE_LENGTHS)).sum(1)
        np.testing.assert_allclose(of_directions, 1 / len(of_directions))


@torch.no_grad()
def test_of_a_users_network_a_path_has_the_values_of_its_middle() -> None:
    def along_path(channels: int, width: int, values: int) -> torch.nn.Module:
        return torch.nn.Conv2d(channels, values, 1)

    own = OwnNetwork(with_network(along_path, "here"), OBSERVATION.channels, 8, SHAPES)
    path = np.append(12 * SIZE + np.arange(3, 14), [13 * SIZE + 13])
    paths, observation = paths_of([path], SIZE), seen()
    every = own(observation).reshape(SHAPES, -1)[:, path[6]]
    torch.testing.assert_close(own.values_along(observation, paths), (paths.like @ every))
