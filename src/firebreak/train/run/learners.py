"""Learner steps shared by workers: each takes parts of a batch through copies of the networks.

The gradients are added here in the order of the parts, as without workers, so a run has the same
bits with any number of workers, anywhere.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from firebreak.agent.gain_store import GainBatch
from firebreak.agent.losses import BatchPart, Networks, PartLoss, descend, parts_in
from firebreak.agent.network import network_of
from firebreak.agent.replay import Batch
from firebreak.agent.settings import settings_of
from firebreak.checks import fail
from firebreak.executors.base import Executor, map_chunks
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.layout import OBSERVATION
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.run_sizes import states_of_a_step
from firebreak.train.rollout.player import Weights, weights_of

Array = Any
"""A NumPy array of any type: tensors travel as such, whose views take no more than they show."""


class SentPart(NamedTuple):
    """A part of a batch on its way: its class, the class and arrays of its batch, and the rest."""

    kind: Callable[..., BatchPart]
    batch: Callable[..., Batch | GainBatch]
    arrays: list[Array | None]
    rest: tuple[Any, ...]


class PartGradient(NamedTuple):
    """What a worker answers: the part's loss, the values that the network gave, and the gradient of
    each weight tensor, None where the loss does not hang on it.
    """

    loss: float
    values: Array
    gradients: list[Array | None]


class PartLearner:
    """What a worker holds: both networks, and no optimizer."""

    def __init__(self, config: RunConfig) -> None:
        torch.set_num_threads(1)
        settings = settings_of(config.agent)
        with torch.random.fork_rng(devices=[]):  # in-process the stream is the run's
            online, target = (network_of(settings, OBSERVATION) for _ in range(2))
        self.networks = Networks(online, target.requires_grad_(False), OBSERVATION)

    def receive(self, weights: tuple[Weights, Weights]) -> None:
        """Takes the weights of both networks."""
        for network, own in zip(self.networks[:2], weights, strict=True):
            network.load_state_dict({name: torch.from_numpy(array) for name, array in own.items()})

    def gradient(self, *sent: Any) -> PartGradient:
        """The gradient of the loss of a part; see `SentPart`."""
        online = self.networks.online
        online.zero_grad(set_to_none=True)
        done, = descend(self.networks, [_received(SentPart(*sent))])
        return PartGradient(done.loss, done.values.numpy(), [
            None if weight.grad is None else weight.grad.numpy()
            for weight in online.parameters()])


class LearnerPool:
    """The workers of a run's learner steps; they start with the first one."""

    def __init__(self, config: RunConfig) -> None:
        check_learners(config)
        self.config = config
        self._executor: Executor | None = None

    def descend(self, networks: Networks, parts: Sequence[BatchPart]) -> Iterator[PartLoss]:
        """As `losses.descend`, by the workers.

        Raises:
            WorkerLostError: a worker died at every attempt of a part, or raised.
        """
        executor = self._open()
        executor.share((weights_of(networks.online), weights_of(networks.target)))
        for _, done in map_chunks(executor, PartLearner.gradient.__name__, map(_sent, parts)):
            _add(networks.online.parameters(), done.gradients)
            yield PartLoss(done.loss, torch.from_numpy(done.values))

    def close(self) -> None:
        """Ends the workers."""
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def _open(self) -> Executor:
        if self._executor is None:
            train = self.config.train
            self._executor = open_executor(
                train.learner_executor, Recipe(PartLearner, (self.config,)), train.learners,
                train.ray_address, train.collector_limit_s)
        return self._executor


def check_learners(config: RunConfig) -> None:
    """That learners can do what the configuration asks of them; warns where some have no work.

    Raises:
        InputError: a network on a GPU, or one of several threads, which rounds otherwise.
    """
    train = config.train
    if train.device != "cpu":
        raise fail(expected="train.device = \"cpu\" together with train.learners",
                   given=f"\"{train.device}\"", where="train.device",
                   remedy="leave one of both out: a GPU takes a batch at once")
    if train.torch_threads != 1:
        raise fail(expected="train.torch_threads = 1 together with train.learners",
                   given=f"{train.torch_threads}", where="train.torch_threads",
                   remedy="leave one of both out: each learner is a process of one thread")
    most = most_parts(config)
    if train.learners > most:
        warnings.warn(f"a batch of this run goes through the network in at most {most} "
                      f"part{'s' if most > 1 else ''}, so that of train.learners = "
                      f"{train.learners} no more than {most} work at a time; raise "
                      "agent.batch_size, or lower train.learners", stacklevel=2)


def most_parts(config: RunConfig) -> int:
    """Into how many parts the batch of a learner step goes, at most, of all map sizes."""
    sides = [side + 2 * config.landscapes.margin
             for side in config.mixture.sizes or (config.landscapes.size,)]
    batches = [(max(1, config.agent.batch_size * sides[0] ** 2 // side**2), side**2)
               for side in sides]
    if config.agent.fit_steps:
        batches += [(states_of_a_step(side**2), side**2) for side in sides]
    return max(parts_in(maps, cells) for maps, cells in batches)


def _sent(part: BatchPart) -> SentPart:
    arrays = [None if tensor is None else tensor.numpy() for tensor in part.batch]
    return SentPart(type(part), type(part.batch), arrays, tuple(part)[1:])


def _received(sent: SentPart) -> BatchPart:
    batch = sent.batch(*(None if array is None else torch.from_numpy(array)
                         for array in sent.arrays))
    return sent.kind(batch, *sent.rest)


def _add(weights: Iterable[Tensor], gradients: Iterable[Array | None]) -> None:
    """Adds gradients to those that are there, as `backward` does."""
    for weight, array in zip(weights, gradients, strict=True):
        if array is None:
            continue
        gradient = torch.from_numpy(array)
        if weight.grad is None:
            weight.grad = gradient
        else:
            weight.grad += gradient
