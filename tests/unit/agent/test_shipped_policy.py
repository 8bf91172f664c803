"""The policies that come with the package: small, plain, better than the heuristic they look at."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from firebreak.agent.policy_file import CONTROL, SHIPPED, load_policy
from firebreak.checks import InputError
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


def test_the_policy_of_synthetic_land_saw_no_map_and_what_jobs_have() -> None:
    policy = load_policy(Path("synthetic"))
    config = tomllib.loads(policy.provenance["config"])
    land, mixture = config["landscapes"], config["mixture"]
    assert (land["kind"], land["maps"], land["train_maps"]) == ("synthetic", [], [])
    assert "start" not in config["agent"]
    assert "/" not in policy.provenance["config"]
    assert min(mixture[name] for name in ("fbp", "narrow", "held", "parts", "existing")) > 0.1


def test_a_policy_that_comes_along_has_a_name_that_a_file_may_take(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_policy(Path("segments")).provenance == load_policy().provenance
    Path("segments").write_bytes(CONTROL.read_bytes())
    assert load_policy(Path("segments")).provenance == load_policy(CONTROL).provenance
    with pytest.raises(InputError, match=r"or one of general, segments, synthetic, got no such"):
        load_policy(Path("segment"))
    with pytest.raises(InputError, match="no such file"):
        load_policy(Path("elsewhere/segments"))


def test_the_learned_control_saw_no_discount_above_0() -> None:
    provenance = load_policy(CONTROL).provenance
    agent = tomllib.loads(provenance["config"])["agent"]
    assert agent["gain_share"] > 0.0
    assert agent["discount"] == 0.0
    assert (provenance["learner_steps"] <= agent["discount_begin"] or agent["discount_end"] == 0.0)


@pytest.mark.parametrize("name", ["segments", "synthetic"])
def test_the_shipped_policies_save_more_than_downstream_value_on_fresh_maps(name: str) -> None:
    policy, leads = load_policy(Path(name)), []
    for seed in (71, 72, 73, 74):
        scene = make_scene(generate(seed, 28), FireConditions(), seed)
        fires = scene.fires("other", 300)
        loss = {method: burn_loss(scene.field, fires, scene.value_by_class, make_plan(
            scene, 0.05, 64, method, seed=0, policy=policy).break_mask()).mean()
            for method in ("dqn", "downstream-value")}
        leads.append(1.0 - loss["dqn"] / loss["downstream-value"])
    assert np.mean(leads) > 0.05
