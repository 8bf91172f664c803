"""Members of a population: agents with their hyper-parameters; clones, children, hashes."""

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.network import hash_of_weights
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.schema import EvolutionConfig
from firebreak.train.studies.genome import (
    FACTORS,
    Genome,
    Weights,
    crossed_genomes,
    crossed_weights,
    mutated_genome,
    mutated_weights,
    settings_with,
    tournament,
)


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
    """What `member_state` gave.

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
