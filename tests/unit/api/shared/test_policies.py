"""A policy that was trained for other breaks is said to be."""

import warnings
from types import SimpleNamespace

import pytest

from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import shipped_policies
from firebreak.api.shared.policies import policy_for, shipped_for, warn_of_other_breaks
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.settings.scene import MadeBreaks

BY_TREATMENT = '[breaks]\nkind = "hard"\ntreatment = "mastication,grazing"\ntreatment_age = 0\n'
MIXED = """[breaks]
kind = "hard"
[mixture]
shaded = 0.1
narrow = 0.1
held = 0.1
"""
EVERY = """[breaks]
kind = "hard"
[mixture]
shaded = 0.4
narrow = 0.6
"""


def said(config: str, **asked: object) -> str:
    policy = SimpleNamespace(provenance={"config": config})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_other_breaks(policy, SceneOptions(breaks=MadeBreaks(**asked)))
    return "".join(str(one.message) for one in caught)


@pytest.mark.parametrize(("config", "asked"), [
    (BY_TREATMENT, {"treatment": "mastication,grazing"}),
    ('[breaks]\nkind = "hard"\n', {}), ('[breaks]\nkind = "hard"\n', {"treatment": "bare-line"}),
    ('[breaks]\nkind = "shaded"\n', {"treatment": "grazing"}), ("", {"treatment": "grazing"}),
    (MIXED, {}), (MIXED, {"break_kind": "shaded"}), (MIXED, {"break_width_m": 8.0}),
    (MIXED, {"break_kind": "shaded", "hold": "equipment"}),
    (MIXED.replace("narrow", "breached"), {"break_width_m": 8.0, "breach": "wilson-trees"}),
    (MIXED.replace('"hard"', '"shaded"'), {"break_width_m": 8.0}),
    (MIXED.replace('"hard"', '"shaded"'), {"break_kind": "shaded"}),
    (MIXED.replace('"hard"', '"hard"\nwidth_m = 20\nbreach = "wilson"'), {"break_kind": "shaded"}),
    (EVERY, {"break_kind": "shaded"}), (EVERY, {"break_width_m": 8.0})])
def test_the_same_breaks_are_no_news(config: str, asked: dict[str, object]) -> None:
    assert said(config, **asked) == ""


@pytest.mark.parametrize(("config", "asked", "words"), [
    (BY_TREATMENT, {}, "treatment mastication,grazing there, None here"),
    (BY_TREATMENT, {"treatment": "grazing"}, "treatment mastication,grazing there, grazing here"),
    (BY_TREATMENT, {"treatment": "mastication,grazing", "treatment_age": 3},
     "(treatment_age 0 there, 3 here)"),
    ('[breaks]\nkind = "hard"\n', {"treatment": "grazing"}, "(kind hard there, shaded here)"),
    ('[breaks]\nkind = "hard"\n', {"leak": True}, "(leak False there, True here)"),
    (MIXED, {"break_kind": "shaded", "hold": "hand"}, "(hold equipment there, hand here)"),
    (MIXED, {"break_width_m": 8.0, "breach": "wilson-trees"}, "breach never there, wilson-trees"),
    (EVERY, {}, "(width_m narrower than a cell there, None here)"),
    (EVERY, {"break_kind": "shaded", "hold": "equipment"}, "(hold None there, equipment here)"),
    (EVERY, {"break_width_m": 8.0, "leak": True}, "(leak False there, True here)"),
    (MIXED.replace("narrow", "parts"), {"break_width_m": 8.0}, "(width_m None there, 8.0 here)")])
def test_other_breaks_are_named(config: str, asked: dict[str, object], words: str) -> None:
    assert words in said(config, **asked)


@pytest.mark.parametrize(("asked", "name"), [
    ({}, "general"), ({"break_width_m": 8.0}, "general"), ({"leak": True}, "general"),
    ({"treatment": "bare-line"}, "general"), ({"break_kind": "shaded"}, "shaded"),
    ({"break_kind": "shaded", "hold": "hand"}, "general"),
    ({"break_width_m": 8.0, "breach": "wilson"}, "general"),
    ({"break_width_m": 8.0, "breach": "flame-length", "hold": "equipment"}, "general"),
    ({"treatment": "grazing"}, "shaded"), ({"treatment": "mastication,grazing"}, "shaded"),
    ({"treatment": "grazing", "hold": "hand"}, "general")])
def test_the_policy_that_comes_along_is_that_for_the_breaks(asked: dict[str, object],
                                                            name: str) -> None:
    options = SceneOptions(breaks=MadeBreaks(**asked))
    assert shipped_for(options) == shipped_policies()[name]
    for methods in (["dqn"], ["auto"]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            policy = policy_for(methods, None, options)
        assert policy is not None
        assert (policy.provenance["config"]
                == load_policy(shipped_policies()[name]).provenance["config"])
    assert policy_for(["strips"], None, options) is None


@pytest.mark.parametrize("asked", [
    {}, {"break_kind": "shaded"}, {"break_kind": "shaded", "hold": "equipment"},
    {"break_width_m": 8.0}])
def test_one_of_the_policies_that_come_along_was_trained_for_common_breaks(
        asked: dict[str, object], recwarn: pytest.WarningsRecorder) -> None:
    policy_for(["dqn"], None, SceneOptions(breaks=MadeBreaks(**asked)))
    assert not [str(one.message) for one in recwarn]
