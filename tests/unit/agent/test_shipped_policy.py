"""The policy that comes with the package: small, plain, better than the heuristic it looks at."""

import tomllib

import numpy as np

from firebreak.agent.policy_file import CONTROL, SHIPPED, load_policy
from firebreak.fire.engine import burn_loss
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.methods import make_plan
from firebreak.train.config.load import load_config


def test_the_shipped_policy_is_small_and_says_how_it_was_trained() -> None:
    assert SHIPPED.stat().st_size < 1_000_000
    provenance = load_policy().provenance
    config = load_config("segments")
    for name in [*config.landscapes.maps, *config.landscapes.train_maps]:
        assert name in provenance["config"]
    assert "santa-ana" not in provenance["config"]
    assert "/" not in provenance["config"]  # no path of the machine that it was trained on


def test_the_learned_control_saw_no_discount_above_0() -> None:
    provenance = load_policy(CONTROL).provenance
    agent = tomllib.loads(provenance["config"])["agent"]
    assert agent["gain_share"] > 0.0
    assert agent["discount"] == 0.0
    assert (provenance["learner_steps"] <= agent["discount_begin"] or agent["discount_end"] == 0.0)


def test_the_shipped_policy_saves_more_than_downstream_value_on_fresh_maps() -> None:
    policy, leads = load_policy(), []
    for seed in (71, 72, 73, 74):
        scene = make_scene(generate(seed, 28), FireConditions(), seed)
        fires = scene.fires("other", 300)
        loss = {method: burn_loss(scene.field, fires, scene.value_by_class, make_plan(
            scene, 0.05, 64, method, seed=0, policy=policy).break_mask()).mean()
            for method in ("dqn", "downstream-value")}
        leads.append(1.0 - loss["dqn"] / loss["downstream-value"])
    assert np.mean(leads) > 0.05
