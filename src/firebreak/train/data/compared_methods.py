"""Whether the comparison that a run ends with can be made, known before it begins."""

import torch

from firebreak.agent.network import network_of
from firebreak.agent.policy_file import Policy
from firebreak.layout import OBSERVATION
from firebreak.planning.core.rounds import Job
from firebreak.planning.methods import check_job, check_policy
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.splits import LaterScenes, Splits

SMALLER = "smaller landscapes (landscapes.size)"


def check_compared(config: RunConfig, splits: Splits) -> None:
    """Refuses methods that cannot follow the policy that a run will train, or that cannot plan for
    its test landscapes.

    Raises:
        InputError: naming the method.
    """
    with torch.device("meta"):  # shapes only: nothing is drawn
        policy = Policy(network_of(config.agent, OBSERVATION), {})
    for method in config.evaluation.methods:
        check_policy(method, policy)
        for scenes in splits.test.values():
            assert isinstance(scenes, LaterScenes), "the test scenes of a run are made after it"
            for land in scenes.landscapes:
                check_job(method, Job(land, scenes.conditions, config.fires.plan_fires, SMALLER))
