"""The DQN agent: masked behaviour, masked double Q-learning, hard target copies.

It sees observations and rewards only; where they come from and when it learns is the trainer's
business.
"""

import copy
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from firebreak.agent.experience import AheadBatch, Batch, GainBatch, on_device, rows_of
from firebreak.agent.exploration import discount_at, explored, learning_rate_at
from firebreak.agent.network import network_of
from firebreak.agent.own_network import QNetwork
from firebreak.agent.symmetry import turn_ahead, turn_batch, turn_gains
from firebreak.agent.targets import (
    double_q_target,
    masked_argmax,
    unit_of,
    unit_of_continuation,
    whole_value,
)
from firebreak.checks import fail
from firebreak.layout import OBSERVATION
from firebreak.settings.agent import AgentSettings

MAX_PART_CELLS = 25_600
"""Cells of maps that go through the network at a time on a CPU, 16 maps of 40x40: what a gradient
step needs for a while does not grow with maps and batches, and it takes no longer."""


AnyBatch = Batch | GainBatch | AheadBatch
"""A batch of any kind that a gradient step learns from."""


class Networks(NamedTuple):
    """The network that learns, and the one that values what follows."""

    online: QNetwork
    target: QNetwork


def part_losses(networks: Networks, batch: AnyBatch,
                turned: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Loss and values of each part of a batch seen under symmetry `turned`, one after the other:
    the losses add up to the batch's mean, and the gradient of one is to be taken before the next is
    asked for, so that what it needs is let go. Values are of the actions that are learned of.
    """
    turn: Callable[..., Any]
    loss: Callable[[Any], tuple[Tensor, Tensor]]
    whole: Any = batch
    if isinstance(batch, Batch):
        turn, loss = turn_batch, partial(_transition_loss, networks, len(batch.action))
    elif isinstance(batch, AheadBatch):
        turn, loss = turn_ahead, partial(_ahead_loss, networks, _known(batch),
                                         max(int(_continued(batch).sum()), 1))
    else:
        turn, loss = turn_gains, partial(_gain_loss, networks, _known(batch))
    device = next(networks.online.parameters()).device
    for rows in _rows(batch.observation, device):
        part: Any = turn(rows_of(whole, rows), turned)
        yield loss(on_device(part, device))


def _transition_loss(networks: Networks, maps: int, batch: Batch) -> tuple[Tensor, Tensor]:
    """Huber's loss of transitions over `maps`, and the values of the actions taken."""
    taken = networks.online.value_of(batch.observation, batch.action)
    return functional.huber_loss(taken, _target(batch, networks)) * (len(taken) / maps), taken


def _known(batch: GainBatch | AheadBatch) -> int:
    """Gains that a batch learns."""
    return max(int((~batch.gain.isnan()).sum()), 1)


def _gain_loss(networks: Networks, gains: int, batch: GainBatch) -> tuple[Tensor, Tensor]:
    """Huber's loss of the known gains of labelled states over `gains`, and the values of their
    actions.
    """
    here = ~batch.gain.isnan()
    target = batch.gain.nan_to_num() / unit_of(batch.observation, OBSERVATION)[:, None]
    values = networks.online.values_at(batch.observation, batch.action)[here]
    return functional.huber_loss(values, target[here], reduction="sum") / gains, values


def _continued(batch: AheadBatch) -> Tensor:
    """The states whose continuation is learned: where the taken action is known, and the episode
    ends or some actions of the next state were tried. bool [M].
    """
    known = (batch.discount == 0.0) | ~batch.next_gain[:, 1:].isnan().all(1)
    return known & ~batch.gain[:, 0].isnan()


def _ahead_loss(networks: Networks, gains: int, continuations: int,
                batch: AheadBatch) -> tuple[Tensor, Tensor]:
    """Huber's losses of the gains of all actions over `gains` and of the continuations of those
    taken over `continuations`, and the values of these.
    """
    parts = networks.online.parts_at(batch.observation, batch.action)
    known, taken = ~batch.gain.isnan(), _continued(batch)
    gain = batch.gain.nan_to_num() / unit_of(batch.observation, OBSERVATION)[:, None]
    after = batch.reward
    if bool((batch.discount > 0.0).any()):
        after = after + batch.discount * continued_value(networks, batch)
    after = after / unit_of_continuation(batch.observation, OBSERVATION)
    loss = (functional.huber_loss(parts[:, 0][known], gain[known], reduction="sum") / gains
            + functional.huber_loss(parts[taken, 1, 0], after[taken], reduction="sum")
            / continuations)
    return loss, whole_value(parts, batch.observation)[:, 0]


@torch.no_grad()
def continued_value(networks: Networks, batch: AheadBatch) -> Tensor:
    """Values of the next states, shares of the untreated loss [M]: the exact gain of the tried
    action that the online network values most, and the target network's continuation of it.

    The network chooses by its own values, as it does where it acts. The largest exact gain would be
    the largest error of the fires that it was counted on.
    """
    following, action = batch.next_observation, batch.next_action
    known = ~batch.next_gain.isnan()
    values = whole_value(networks.online.parts_at(following, action), following)
    best = masked_argmax(values, known)[:, None]
    after = networks.target.parts_of(following, action.gather(1, best)[:, 0])[:, 1]
    return (batch.next_gain.gather(1, best)[:, 0].nan_to_num()
            + after * unit_of_continuation(following, OBSERVATION))


def _rows(observation: Tensor, device: torch.device) -> list[slice]:
    """The rows of a batch that go through the network together, so that parts are few, and of one
    size but for the last.
    """
    maps, (height, width) = observation.shape[0], observation.shape[-2:]
    parts = 1 if device.type == "cuda" else -(-maps * height * width // MAX_PART_CELLS)
    each = -(-maps // parts)
    return [slice(first, first + each) for first in range(0, maps, each)]


@torch.no_grad()
def _target(batch: Batch, networks: Networks) -> Tensor:
    """Values that the actions taken should have, in the unit of their observations: [M]."""
    following, unit = batch.next_observation, unit_of(batch.observation, OBSERVATION)
    reward = batch.reward / unit
    if not bool((batch.discount > 0.0).any()):
        return reward
    discount = batch.discount * unit_of(following, OBSERVATION) / unit
    return double_q_target(reward, discount, networks.online(following),
                           lambda best: networks.target.value_of(following, best),
                           batch.next_mask)


class Update(NamedTuple):
    """Numbers of one learner step."""

    loss: float
    gradient_norm: float
    mean_q: float


class NotFinite(FloatingPointError):
    """A number that must be finite is not. batch: what it came from, tensors by name."""

    def __init__(self, what: str, batch: dict[str, Tensor]) -> None:
        super().__init__(f"NaN or infinity in {what}")
        self.batch = batch


class DQNAgent:
    """Online and target network, optimizer, and the two random streams of acting and sampling."""

    def __init__(self, settings: AgentSettings, seed: int, device: str = "cpu") -> None:
        self.settings = settings
        self.device = torch.device(device)
        if self.device.type == "cuda" and not torch.cuda.is_available():
            raise fail(expected="a CUDA device and a CUDA build of PyTorch",
                       given="a machine without them", where="train.device",
                       remedy="set train.device = \"cpu\"")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.online_net = network_of(settings).to(self.device)
        self.target_net = copy.deepcopy(self.online_net).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.online_net.parameters(),
                                          lr=learning_rate_at(settings, 0))
        self.acting = torch.Generator().manual_seed(seed + 1)
        self.sampling = torch.Generator().manual_seed(seed + 2)
        self.learner_steps = 0

    @torch.no_grad()
    def q_values(self, observation: Tensor) -> Tensor:
        """Q-values [N, A] on the CPU, as shares of the untreated loss."""
        relative = self.online_net(observation.to(self.device)).cpu()
        return relative * unit_of(observation, OBSERVATION)[:, None]

    def act_greedily(self, observation: Tensor, mask: Tensor) -> Tensor:
        """The best allowed action of each observation: int64 [N]."""
        return masked_argmax(self.q_values(observation), mask)

    def act(self, observation: Tensor, mask: Tensor, env_steps: int,
            values: Tensor | None = None) -> Tensor:
        """Epsilon-greedy over allowed actions: int64 [N].

        observation: float32 [N, C, H, W]; mask: bool [N, A]; values: as `q_values` gives them,
        where they are known. Part of the exploration is among the best cells by downstream value,
        where the good and the bad breaks are.
        """
        best = masked_argmax(self.q_values(observation) if values is None else values, mask)
        return explored(best, observation, mask, self.settings, env_steps, self.acting)

    def learn(self, batch: AnyBatch, turned: int = 0,
              learning_rate: float | None = None) -> Update:
        """One gradient step on a batch seen under symmetry `turned`: towards the targets of
        transitions at the discount that the batch has, or towards the gains of its actions and what
        follows; and the copy of the weights into the target network when due.

        learning_rate: that of the settings if not given.

        Raises:
            NotFinite: loss or gradient (nothing has changed then), or weights.
        """
        if learning_rate is None:
            learning_rate = learning_rate_at(self.settings, self.learner_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.zero_grad(set_to_none=True)
        loss, values = 0.0, []
        networks = Networks(self.online_net, self.target_net)
        for part_loss, part_values in part_losses(networks, batch, turned):
            part_loss.backward()
            loss += part_loss.item()
            values.append(part_values.detach().cpu())
        norm = nn.utils.clip_grad_norm_(self.online_net.parameters(),
                                        self.settings.gradient_clip)
        if not (math.isfinite(loss) and math.isfinite(float(norm))):
            raise self._not_finite("the loss" if not math.isfinite(loss)
                                   else "the gradient", batch)
        self.optimizer.step()
        if not _all_finite(self.online_net):
            raise self._not_finite("the weights", batch)
        self.learner_steps += 1
        if self.learner_steps % self.settings.target_period == 0:
            self.target_net.load_state_dict(self.online_net.state_dict())
        return Update(loss, float(norm), torch.cat(values).mean().item())

    def check_finite(self) -> None:
        """Checks the weights of both networks: a loss meets the target network only at discounts
        above 0.

        Raises:
            NotFinite: they are not.
        """
        for name, network in (("online", self.online_net), ("target", self.target_net)):
            if not _all_finite(network):
                raise NotFinite(f"the {name} network", dict(network.state_dict()))

    def _not_finite(self, what: str, batch: AnyBatch) -> NotFinite:
        """The error, which also names what lies behind it."""
        labels = batch.gain.nan_to_num(nan=0.0) if isinstance(batch, GainBatch) else batch.reward
        found = {"the batch's rewards": bool(labels.isfinite().all()),
                 "the online network": _all_finite(self.online_net),
                 "the target network": _all_finite(self.target_net)}
        behind = [name for name, finite in found.items() if not finite]
        return NotFinite(what + (f", and in {', '.join(behind)}" if behind else ""),
                         batch._asdict())

    @property
    def discount(self) -> float:
        """The discount at the present learner step."""
        return discount_at(self.settings, self.learner_steps)

    @property
    def learns_gains(self) -> bool:
        """True while the simulator's gains are learned from: at discount 0, or beside what follows.
        """
        settings = self.settings
        return settings.gain_share > 0.0 and (self.learner_steps < settings.discount_begin
                                              or settings.discount_end == 0.0
                                              or settings.looks_ahead)

    def cleanup_memory(self) -> int:
        """Frees the last update's gradients; returns the bytes freed beyond those, which every
        update makes again.
        """
        freed = sum(p.grad.untyped_storage().nbytes() - p.nbytes
                    for p in self.online_net.parameters() if p.grad is not None)
        self.optimizer.zero_grad(set_to_none=True)
        return freed

    def state(self) -> dict[str, Any]:
        """Everything needed to go on learning, as tensors and plain numbers."""
        return {"online": self.online_net.state_dict(), "target": self.target_net.state_dict(),
                "optimizer": self.optimizer.state_dict(), "learner_steps": self.learner_steps,
                "acting": self.acting.get_state(), "sampling": self.sampling.get_state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `state` gave.

        Raises:
            ValueError: weights of another network.
        """
        saved, own = ({name: tuple(tensor.shape) for name, tensor in weights.items()}
                      for weights in (state["online"], self.online_net.state_dict()))
        other = next((name for name in [*saved, *own] if saved.get(name) != own.get(name)), None)
        if other is not None:
            raise ValueError(f"one of another network: {other} is {saved.get(other, 'not there')} "
                             f"in the checkpoint and {own.get(other, 'not there')} in this network")
        self.online_net.load_state_dict(state["online"])
        self.target_net.load_state_dict(state["target"])
        self.optimizer.load_state_dict(_optimizer_state(self.optimizer, state["optimizer"]))
        self.learner_steps = int(state["learner_steps"])
        self.acting.set_state(state["acting"])
        self.sampling.set_state(state["sampling"])


def _optimizer_state(optimizer: torch.optim.Optimizer, saved: dict[str, Any]) -> dict[str, Any]:
    """The moments and the learning rate of a saved optimizer; all else is this optimizer's own.

    Raises:
        ValueError: moments of another shape than the weights.
    """
    own = optimizer.state_dict()
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    for number, moments in saved["state"].items():
        for name in ("exp_avg", "exp_avg_sq"):
            if moments[name].shape != weights[number].shape:
                raise ValueError(f"optimizer/{number}/{name} of shape "
                                 f"{tuple(moments[name].shape)}")
        if moments.keys() != {"step", "exp_avg", "exp_avg_sq"} or not 0 <= float(
                moments["step"]) < 2**53:
            raise ValueError(f"optimizer/{number} of another optimizer")
    for group, before in zip(own["param_groups"], saved["param_groups"], strict=True):
        group["lr"] = float(before["lr"])
    return own | {"state": saved["state"]}


def _all_finite(network: nn.Module) -> bool:
    return bool(torch.stack([p.detach().sum() for p in network.parameters()]).isfinite().all())
