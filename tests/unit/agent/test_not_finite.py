"""NaN and infinity are found in the step that meets them, and leave the weights as they were."""

import pytest
import torch

from firebreak.agent.dqn import NotFinite
from unit.agent.test_dqn import agent, batch


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_reward_that_is_no_number_stops_before_the_weights_change(value: float) -> None:
    learner, given = agent(), batch()
    given.reward[3] = value
    before = [p.clone() for p in learner.online_net.parameters()]
    with pytest.raises(NotFinite, match="the loss, and in the batch's rewards") as error:
        learner.learn(given)
    assert all(map(torch.equal, before, learner.online_net.parameters()))
    assert learner.learner_steps == 0
    assert torch.equal(error.value.batch["reward"][:3], given.reward[:3])


def test_a_gradient_that_is_no_number_stops_before_the_weights_change() -> None:
    learner = agent()
    first = next(learner.online_net.parameters())
    first.register_hook(lambda gradient: gradient * float("nan"))
    before = first.clone()
    with pytest.raises(NotFinite, match=r"NaN or infinity in the gradient$"):
        learner.learn(batch())
    assert torch.equal(before, first)


@pytest.mark.parametrize(("network", "words"), [("online_net", "the online network"),
                                                ("target_net", "the target network")])
def test_weights_that_are_no_numbers_are_named(network: str, words: str) -> None:
    learner = agent()
    next(getattr(learner, network).parameters()).detach().view(-1)[0] = float("nan")
    with pytest.raises(NotFinite, match=words):
        learner.learn(batch())
    with pytest.raises(NotFinite, match=words):
        learner.check_finite()


def test_moments_that_are_no_numbers_are_found_in_the_step_that_uses_them() -> None:
    learner = agent()
    learner.learn(batch())
    next(iter(learner.optimizer.state.values()))["exp_avg"].view(-1)[0] = float("nan")
    with pytest.raises(NotFinite, match="the weights, and in the online network"):
        learner.learn(batch())


def test_target_weights_that_no_loss_uses_are_found_before_a_save() -> None:
    learner = agent(discount=0.0)
    next(learner.target_net.parameters()).detach().view(-1)[0] = float("nan")
    learner.learn(batch(discount=0.0))
    with pytest.raises(NotFinite, match="the target network"):
        learner.check_finite()
