"""Members of a population: clones that share nothing, states that come back whole."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from firebreak.seeding import generator
from firebreak.train.config.load import load_config
from firebreak.train.studies.population import (
    Member,
    child_of,
    clone,
    first_members,
    member_from,
    member_state,
    weights_sha256,
)
from tiny import TINY

CONFIG = load_config("quick", [*TINY, "evolution.population=3", "evolution.crossover=1.0",
                               "evolution.tournament=1"])
SETTINGS = CONFIG.agent


@pytest.fixture
def member() -> Member:
    """With an optimizer that has a state, as after a learner step."""
    found = first_members(SETTINGS, 1, 0, "cpu")[0]
    for weight in found.agent.online_net.parameters():
        weight.grad = torch.ones_like(weight)
    found.agent.optimizer.step()
    found.agent.learner_steps, found.fitness = 1, 0.25
    return found


def tensors(tree: Any) -> Iterator[torch.Tensor]:
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, dict | list):
        for value in tree.values() if isinstance(tree, dict) else tree:
            yield from tensors(value)


def storage(member: Member) -> set[int]:
    """Of both networks and the optimizer."""
    state = member.agent.state()
    return {tensor.untyped_storage().data_ptr()
            for name in ("online", "target", "optimizer") for tensor in tensors(state[name])}


def test_a_clone_is_equal_and_shares_no_storage(member: Member) -> None:
    before = weights_sha256([member])
    twin = clone(member, SETTINGS)
    assert weights_sha256([twin]) == before
    assert twin.agent.online_net is not member.agent.online_net
    assert len(storage(member)) > 60  # the optimizer's too
    assert not storage(member) & storage(twin)
    with torch.no_grad():
        for weight in twin.agent.online_net.parameters():
            weight.zero_()
    assert weights_sha256([twin]) != weights_sha256([member]) == before


def test_a_member_comes_back_from_its_state(member: Member) -> None:
    again = member_from(member_state(member), SETTINGS, "cpu")
    assert weights_sha256([again]) == weights_sha256([member])
    assert (again.genome, again.born, again.fitness) == (member.genome, 0, 0.25)
    mine, others = (list(tensors(one.agent.optimizer.state_dict())) for one in (member, again))
    assert len(mine) > 40
    assert all(torch.equal(a, b) for a, b in zip(mine, others, strict=True))


def test_a_child_leaves_its_parents_as_they_were() -> None:
    members = first_members(SETTINGS, 3, 0, "cpu")
    before = weights_sha256(members)
    children = [child_of(members, SETTINGS, CONFIG.evolution, 1, generator(k, "test"))
                for k in range(4)]
    assert weights_sha256(members) == before
    assert len({weights_sha256([child]) for child in children}) == 4
    assert all(child.born == 1 for child in children)
    assert not set.union(*map(storage, members)) & set.union(*map(storage, children))
