"""Members of a population: agents with their hyper-parameters; how parents are chosen, what a child
inherits, and which hyper-parameters and weights change.
"""

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.network import hash_of_weights
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.schema import EvolutionConfig

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


@dataclass(slots=True)
class Member:
    """fitness: on the validation problems, as last evaluated; born: the generation."""

    agent: DQNAgent
    genome: Genome
    born: int
    fitness: float = -math.inf


def first_members(settings: AgentSettings, count: int, seed: int, device: str) -> list[Member]:
    """Members of generation 0: networks of different seeds, all with the settings given."""
    return [Member(_agent(settings, integer_seed(seed, "member", place), device), Genome(), 0)
            for place in range(count)]


def clone(member: Member, settings: AgentSettings) -> Member:
    """A member with an agent, networks and optimizer of its own, equal in every bit."""
    agent = _agent(settings_with(settings, member.genome), 0, member.agent.device.type)
    # Loading an optimizer's state may keep the tensors it is given.
    agent.restore(copy.deepcopy(member.agent.state()))
    return Member(agent, member.genome, member.born, member.fitness)


def child_of(members: list[Member], settings: AgentSettings, config: EvolutionConfig, born: int,
             rng: np.random.Generator) -> Member:
    """A new member from one or two parents, with the first one's optimizer and counts."""
    fitness = [member.fitness for member in members]
    first = members[tournament(fitness, config.tournament, rng)]
    second = members[tournament(fitness, config.tournament, rng)]
    child = clone(first, settings)
    genome = first.genome
    weights: Weights = child.agent.online_net.state_dict()
    if rng.random() < config.crossover and second is not first:
        genome = crossed_genomes(genome, second.genome, rng)
        weights = crossed_weights(weights, second.agent.online_net.state_dict(), rng)
    if rng.random() < config.mutation:
        weights = mutated_weights(weights, config.mutation_share, config.mutation_scale, rng)
    child.agent.online_net.load_state_dict(weights)
    child.genome = mutated_genome(genome, config.hyper_spread, rng)
    child.agent.settings = settings_with(settings, child.genome)
    child.born, child.fitness = born, -math.inf
    return child


def weights_sha256(members: Iterable[Member]) -> str:
    """Hash of the online networks' weights."""
    return hash_of_weights(member.agent.online_net for member in members)


def member_state(member: Member) -> dict[str, Any]:
    """All of a member, as tensors and plain values."""
    return {"agent": member.agent.state(), "genome": list(member.genome), "born": member.born,
            "fitness": member.fitness if math.isfinite(member.fitness) else None}


def member_from(state: dict[str, Any], settings: AgentSettings, device: str) -> Member:
    """The member of a `member_state`.

    Raises:
        ValueError: a genome that no member has.
    """
    genome = Genome(*map(float, state["genome"]))
    if not all(FACTORS[0] <= factor <= FACTORS[1] for factor in genome):
        raise ValueError(f"a genome beyond {FACTORS[0]:g} to {FACTORS[1]:g}")
    agent = _agent(settings_with(settings, genome), 0, device)
    agent.restore(state["agent"])
    fitness = -math.inf if state["fitness"] is None else float(state["fitness"])
    return Member(agent, genome, int(state["born"]), fitness)


def _agent(settings: AgentSettings, seed: int, device: str) -> DQNAgent:
    agent = DQNAgent(OBSERVATION, settings, seed % 2**31, device)
    track(agent)
    return agent
