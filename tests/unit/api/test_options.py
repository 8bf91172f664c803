"""Options of the public functions: those of the command line, with its defaults and its bounds."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firebreak
from firebreak.api.options import filled, keywords
from firebreak.api.shared.plan_options import EvaluateOptions, PlanOptions, SimulateOptions
from firebreak.checks import InputError
from firebreak.cli.commands import class_of
from firebreak.settings.budget import Limits
from firebreak.settings.schema import is_share, leaves

LAND = firebreak.read_landscape("synthetic:1:10")
ONLY_TYPED = {
    "plan": {"landscape", "config", "out", "json"},
    "evaluate": {"landscapes", "plan", "out", "executor", "workers", "json"},
    "simulate": {"landscape", "observed", "fire_sizes", "out", "json", "executor", "workers"},
    "train": {"config", "quiet", "json"}}
"""What the command line has besides: where it reads and writes, where test fires burn, and plans
under doubt."""
FUNCTIONS = {"plan": firebreak.plan, "evaluate": firebreak.evaluate,
             "simulate": firebreak.simulate, "train": firebreak.train_policy}


def typed_defaults(command: str) -> dict[str, Any]:
    """Option -> default, of a command."""
    return {name: leaf.default for name, leaf in leaves(class_of(command)).items()}


@pytest.mark.parametrize("command", FUNCTIONS)
def test_defaults_are_those_of_the_command(command: str) -> None:
    typed = {name: value for name, value in typed_defaults(command).items()
             if name not in ONLY_TYPED[command]}
    in_python = {name: parameter.default for name, parameter in
                 inspect.signature(FUNCTIONS[command]).parameters.items()
                 if parameter.kind is parameter.KEYWORD_ONLY
                 and name not in ("plans", "quiet", "network", "on_row")}
    typed.pop("quiet", None)
    assert len(typed) >= 5
    assert in_python == typed


@pytest.mark.parametrize("command", ["plan", "evaluate", "simulate"])
def test_what_only_the_command_has_is_there(command: str) -> None:
    assert ONLY_TYPED[command] <= typed_defaults(command).keys()


def test_defaults_of_reading_are_those_of_planning() -> None:
    own = inspect.signature(firebreak.read_landscape).parameters
    plan = inspect.signature(firebreak.plan).parameters
    shared = [name for name in own if name in plan]
    assert {"terrain", "value", "break_kind"} <= {*shared}
    assert all(own[name].default == plan[name].default for name in shared)


def test_every_option_says_what_it_means() -> None:
    assert [name for name, word in keywords(PlanOptions).items() if not word.help] == []
    text = firebreak.plan.__doc__
    assert "    budget: Limit of what may be treated" in text
    assert "that of budget by year" in " ".join(text.split())
    assert "--" not in text


@pytest.mark.parametrize(("given", "words"), [
    ({"budgt": 0.1}, "did you mean 'budget'?"),
    ({"budget": "3x"}, "budget: expected a share (5%), an area (40ha), money (20000) or money"),
    ({"budget": float("nan")}, "budget: expected"),
    ({"budget": True}, "each above 0, got True"),
    ({"budget": "much"}, "each above 0, got 'much'"),
    ({"plan_fires": 1.5}, "plan_fires: expected a whole number of at least 1, got 1.5"),
    ({"break_kind": "soft"}, "break_kind: expected one of hard, shaded, got 'soft'"),
    ({"method": "gredy"}, "did you mean 'greedy'?"),
    ({"hours": 3}, "hours: expected weather together with hours"),
    ({"value": np.ones((3, 3))}, "value: expected an array of shape (10, 10)"),
    ({"value": {"a": 1}}, "value: expected an array of numbers, or the path of a file, got dict"),
    ({"value": "nowhere.tif"}, "nowhere.tif"),
    ({"budget": "5", "money": 3.0}, "money: expected limits in different units, got two amounts"),
    ({"method": {(1, 2): 3}}, "method: expected a text, got dict"),
    ({"json": True}, "plan: expected an argument that it has, got 'json'"),
])
def test_mistakes_are_told_in_the_words_of_python(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as told:
        firebreak.plan(LAND, **given)
    assert words in str(told.value)
    assert "--" not in str(told.value)


@pytest.mark.parametrize("given", [123, 1.5, True, np.ones((10, 10)), LAND, ["general"]])
@pytest.mark.parametrize("ask", [
    lambda policy: firebreak.plan(LAND, method="strips", policy=policy),
    lambda policy: firebreak.plan(LAND, method="dqn", policy=policy),
    lambda policy: firebreak.evaluate(LAND, methods="none", policy=policy)])
def test_what_is_no_policy_is_refused_whatever_the_method(ask: Any, given: Any) -> None:
    with pytest.raises(InputError, match="policy: expected a policy: the path of a file") as told:
        ask(given)
    assert "--" not in str(told.value)


@pytest.mark.parametrize("given", [None, 3, "", ["synthetic:1:10"]])
def test_what_is_no_landscape_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="expected a landscape"):
        firebreak.plan(given)


def test_numbers_of_numpy_are_numbers() -> None:
    made = filled(PlanOptions, {"plan_fires": np.int64(7), "budget": np.float64(0.25)}, "plan")
    assert (made.plan_fires, made.budget) == (7, Limits(share=0.25))
    assert type(made.plan_fires) is int


def test_every_share_takes_percent_as_on_the_command_line() -> None:
    found = 0
    for kind in (PlanOptions, EvaluateOptions, SimulateOptions):
        for name, word in keywords(kind).items():
            if is_share(word.hint):
                beside = {"horizon": 3} if name == "discount_rate" else {}
                assert word.of(filled(kind, {name: "5 %", **beside}, "plan")) == 0.05
                found += 1
    assert found >= 4
    with pytest.raises(InputError, match="budget: expected a number above 0 and at most 1"):
        firebreak.plan(LAND, budget="200%")


def test_paths_may_be_text() -> None:
    made = filled(PlanOptions, {"value": "a.tif", "existing": Path("b")}, "plan")
    assert (made.scene.map.value, made.place.existing) == (Path("a.tif"), Path("b"))


def test_what_takes_rows_of_a_run_is_a_function() -> None:
    for given in ("print", 0, [print]):
        with pytest.raises(InputError, match="on_row: expected a function"):
            firebreak.train_policy("quick", quiet=True, on_row=given)  # type: ignore[arg-type]
