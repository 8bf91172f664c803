import pytest
import torch

from firebreak.agent.network import QMapNetwork, parameter_count

FORBIDDEN = (torch.nn.modules.batchnorm._BatchNorm, torch.nn.modules.dropout._DropoutNd)


def network(channels=5, width=8):
    torch.manual_seed(0)
    return QMapNetwork(channels, width)


@pytest.mark.parametrize("shape", [(4, 4), (7, 7), (8, 11), (13, 6), (1, 1), (2, 3), (40, 40)])
def test_one_value_per_cell_on_maps_of_any_size(shape) -> None:
    q = network()(torch.rand(3, 5, *shape))
    assert q.shape == (3, shape[0] * shape[1])
    assert torch.isfinite(q).all()


def test_an_odd_map_is_the_even_one_with_an_empty_edge() -> None:
    observation = torch.rand(2, 5, 7, 9)
    padded = torch.nn.functional.pad(observation, (0, 1, 0, 1))
    q = network()(padded).unflatten(1, (8, 10))[:, :7, :9]
    torch.testing.assert_close(network()(observation).unflatten(1, (7, 9)), q)


def test_values_lie_where_their_cells_do() -> None:
    """A change in one corner moves that corner's value most: rows and columns are not swapped."""
    net = network()
    observation = torch.rand(1, 5, 24, 30)
    changed = observation.clone()
    changed[0, :, 1, 27] += 1.0
    with torch.no_grad():
        moved = (net(changed) - net(observation)).abs().unflatten(1, (24, 30))[0]
    row, col = divmod(int(moved.argmax()), 30)
    assert abs(row - 1) <= 2
    assert abs(col - 27) <= 2


@pytest.mark.parametrize("shape", [(4, 4), (7, 9), (8, 11), (1, 1), (2, 3), (12, 12)])
def test_the_value_of_one_action_is_that_of_the_whole_map(shape) -> None:
    torch.manual_seed(1)
    net = QMapNetwork(5, 8)
    cells = shape[0] * shape[1]
    # The corners, and others.
    action = torch.tensor([0, shape[1] - 1, cells - 1, cells - shape[1], cells // 2, cells // 3])
    observation = torch.rand(6, 5, *shape)
    alone = net.value_of(observation, action)
    among = net(observation).gather(1, action[:, None])[:, 0]
    torch.testing.assert_close(alone, among, rtol=1e-5, atol=1e-6)
    weight = torch.rand(6)
    gradients = [torch.autograd.grad((weight * values).sum(), list(net.parameters()),
                                     allow_unused=True) for values in (alone, among)]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_nothing_in_it_differs_between_acting_and_learning() -> None:
    net = network()
    assert not [m for m in net.modules() if isinstance(m, FORBIDDEN)]
    observation = torch.rand(2, 5, 12, 12)
    assert torch.equal(net.train()(observation), net.eval()(observation))
    alone = torch.cat([net(one[None]) for one in observation])
    torch.testing.assert_close(net(observation), alone)


def test_the_default_has_about_as_many_parameters_as_documented() -> None:
    assert 25_000 < parameter_count(QMapNetwork(17)) < 60_000
    net = network()
    assert parameter_count(net) == sum(p.numel() for p in net.parameters())


def test_every_parameter_learns() -> None:
    net = network()
    net(torch.rand(4, 5, 10, 10)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in net.parameters())
