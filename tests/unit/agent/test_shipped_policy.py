"""The policy that comes with the package: small, plain, better than the heuristic it looks at."""

import hashlib
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import SHADED, SHIPPED
from firebreak.checks import InputError
from firebreak.fire import FireConditions, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.making import make_plan
from firebreak.train.config.load import as_toml, checked, load_config
from firebreak.train.config.schema import RunConfig

OLD = Path(__file__).parents[3] / "benchmarks" / "policies"


@pytest.mark.parametrize(("file", "breaks"), [
    (SHIPPED, ("narrow", "held")), (SHADED, ("narrow", "held", "breached", "shaded"))])
def test_a_shipped_policy_is_small_and_saw_no_map_but_what_jobs_have(
        file: Path, breaks: tuple[str, ...]) -> None:
    assert file.stat().st_size < 1_000_000
    policy = load_policy(file)
    config = tomllib.loads(policy.provenance["config"])
    land, mixture = config["landscapes"], config["mixture"]
    assert (land["kind"], land["maps"], land["train_maps"]) == ("synthetic", [], [])
    assert "start" not in config["agent"]
    assert "/" not in policy.provenance["config"]  # no path of the machine that it was trained on
    assert min(mixture[name] for name in ("fbp", "parts", "existing", *breaks)) > 0.05


@pytest.mark.parametrize("name", ["general", "shaded"])
def test_a_preset_trains_what_its_policy_was_trained_for(name: str) -> None:
    recorded = tomllib.loads(load_policy(Path(name)).provenance["config"])
    # The states with gains were kept beside the replay then.
    recorded["replay"]["capacity"] = recorded["agent"].pop("gain_capacity")
    made = tomllib.loads(as_toml(checked(recorded, name)))  # which leaves retired settings out
    preset, usual = (tomllib.loads(as_toml(config)) for config in (
        load_config(name), RunConfig()))
    for table in ("landscapes", "mixture", "fires", "breaks", "replay", "agent"):
        # Of settings that are younger than the policy the values that change nothing.
        assert usual[table] | made[table] == usual[table] | preset[table], table


def test_a_policy_that_comes_along_has_a_name_that_a_file_may_take(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_policy(Path("general")).provenance == load_policy().provenance
    Path("general").write_bytes((OLD / "segments.safetensors").read_bytes())
    assert load_policy(Path("general")).provenance["run"] != load_policy().provenance["run"]
    with pytest.raises(InputError, match=r"general or shaded, got no such"):
        load_policy(Path("genera"))
    with pytest.raises(InputError, match="no such file"):
        load_policy(Path("elsewhere/general"))


def test_policies_beside_the_package_are_what_their_page_says_and_plan() -> None:
    page = (OLD / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\S+\.safetensors)` \| (\w{64}) \|$", page, re.MULTILINE))
    lying = sorted(OLD.glob("*.safetensors"))
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in lying} == listed
    assert lying
    scene = make_scene(generate(71, 16), FireConditions(scenarios=2), 71)
    for file in lying:
        plan = make_plan(scene, 0.05, 8, "dqn", seed=0, policy=load_policy(file))
        assert plan.cells.size


@pytest.mark.slow
def test_the_shipped_policy_saves_more_than_downstream_value_on_fresh_maps() -> None:
    policy, leads = load_policy(), []
    for seed in (71, 72, 73, 74):
        scene = make_scene(generate(seed, 28), FireConditions(), seed)
        fires = scene.fires("other", 300)
        loss = {method: burn(scene, fires, make_plan(
            scene, 0.05, 64, method, seed=0, policy=policy).break_mask()).loss.mean()
            for method in ("dqn", "downstream-value")}
        leads.append(1.0 - loss["dqn"] / loss["downstream-value"])
    assert np.mean(leads) > 0.05
