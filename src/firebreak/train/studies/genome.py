"""What is inherited: hyper-parameters and weights, how parents are chosen and children made.

Functions of arrays and named random streams; nothing here is remembered.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from firebreak.settings.agent import AgentSettings

Weights = dict[str, Tensor]

FACTORS = (0.125, 8.0)
"""The least and the largest factor of a genome."""
_MAX_DISCOUNT = 0.99  # discount
_MAX_N_STEP = 10


class Genome(NamedTuple):
    """Hyper-parameters of a member, as factors on the configuration's.

    learning_rate, epsilon: factors; horizon: factor on 1 / (1 - discount), that is on how many
    breaks ahead count; n_step: factor on the steps summed in a return.
    """

    learning_rate: float = 1.0
    epsilon: float = 1.0
    horizon: float = 1.0
    n_step: float = 1.0


def settings_with(settings: AgentSettings, genome: Genome) -> AgentSettings:
    """The settings that a genome stands for."""
    return replace(
        settings, n_step=int(np.clip(round(settings.n_step * genome.n_step), 1, _MAX_N_STEP)),
        learning_rate=settings.learning_rate * genome.learning_rate,
        learning_rate_end=settings.learning_rate_end * genome.learning_rate,
        epsilon=min(settings.epsilon * genome.epsilon, 1.0),
        epsilon_end=min(settings.epsilon_end * genome.epsilon, 1.0),
        # The start stays: near 0 each break's own gain is learned.
        discount_end=_farther(settings.discount_end, genome.horizon))


def mutated_genome(genome: Genome, spread: float, rng: np.random.Generator) -> Genome:
    """Every factor times exp(normal(0, spread)), within an eighth and eightfold."""
    drawn = np.exp(spread * rng.standard_normal(len(genome)))
    return Genome(*np.clip(np.array(genome) * drawn, *FACTORS).tolist())


def crossed_genomes(first: Genome, second: Genome, rng: np.random.Generator) -> Genome:
    """Each factor of one of the parents."""
    return Genome(*(b if take else a for a, b, take in
                    zip(first, second, rng.random(len(first)) < 0.5, strict=True)))


def crossed_weights(first: Weights, second: Weights, rng: np.random.Generator) -> Weights:
    """Each output channel (with its bias) of one of the parents; storage of its own.

    Channels of layers that follow one another are chosen independently.
    """
    take: dict[tuple[str, int], Tensor] = {}
    child = {}
    for name, tensor in first.items():
        layer = name.rpartition(".")[0]
        if (layer, len(tensor)) not in take:
            take[layer, len(tensor)] = torch.from_numpy(rng.random(len(tensor)) < 0.5)
        chosen = take[layer, len(tensor)].reshape(-1, *[1] * (tensor.ndim - 1))
        child[name] = torch.where(chosen, second[name], tensor)
    return child


def mutated_weights(weights: Weights, share: float, scale: float,
                    rng: np.random.Generator) -> Weights:
    """A share of the weights moved by normal noise of `scale` standard deviations of their tensor;
    storage of its own.
    """
    child = {}
    for name, tensor in weights.items():
        spread = float(tensor.double().std(correction=0)) if tensor.numel() > 1 else 0.0
        noise = rng.standard_normal(tensor.shape) * (rng.random(tensor.shape) < share)
        child[name] = tensor + torch.from_numpy(scale * spread * noise).to(tensor.dtype)
    return child


def tournament(fitness: list[float], size: int, rng: np.random.Generator) -> int:
    """The fittest of `size` members drawn without replacement; ties go to the first."""
    drawn = rng.choice(len(fitness), min(size, len(fitness)), replace=False).tolist()
    return min(drawn, key=lambda member: (-fitness[member], member))


def ranked(fitness: list[float]) -> list[int]:
    """Members from the fittest down; ties go to the first."""
    return sorted(range(len(fitness)), key=lambda member: (-fitness[member], member))


def _farther(discount: float, factor: float) -> float:
    return float(np.clip(1.0 - (1.0 - discount) / factor, 0.0, _MAX_DISCOUNT))
