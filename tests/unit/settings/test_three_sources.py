"""Whatever says a setting, the command line, a file or Python: it means the same, and what is wrong
with it is said in the same sentence but for the place.
"""

import json
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import firebreak
from firebreak.api.options import filled, keywords
from firebreak.api.shared.plan_options import EvaluateOptions, PlanOptions, SimulateOptions
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.settings.binding import bind
from firebreak.settings.conversion import MAX_NUMBER
from firebreak.settings.rules import RULES, Settings
from firebreak.settings.schema import Leaf, bounds_of, leaves, members, plain_type
from firebreak.settings.sources import argv, toml_file

KINDS: dict[str, Any] = {"plan": PlanOptions, "evaluate": EvaluateOptions,
                         "simulate": SimulateOptions}
SOURCES = ("option", "key", "argument")
OPTIONS = [(command, name) for command, kind in KINDS.items() for name in keywords(kind)]
BESIDE = {"hold": {"break_kind": "shaded"}}
"""What a setting needs of others beyond their being said."""


def sample(leaf: Leaf) -> Any:
    """A value that a setting may have and does not have by default."""
    if leaf.name == "budget":
        return 0.1
    kind = plain_type(next(iter(members(leaf.hint))))
    if typing.get_origin(kind) is typing.Literal:
        return next(name for name in typing.get_args(kind) if name != leaf.default)
    if kind is bool:
        return True
    if kind in (int, float):
        low = max((getattr(bound, type(bound).__name__.lower()) for bound in bounds_of(leaf.hint)
                   if type(bound).__name__ in ("Ge", "Gt")), default=0)
        found = kind(low + (0.25 if kind is float else 2))
        return found if found != leaf.default else found + kind(1)
    return ["some"] if leaf.is_list else "some"


def with_needed(kind: type, name: str) -> dict[str, Any]:
    """A setting with all that it says something beside."""
    said = {name: sample(leaves(kind)[name])}
    while True:
        said |= {key: value for one in said for key, value in BESIDE.get(one, {}).items()}
        options = filled_without_rules(kind, said)
        settings = Settings(options)
        needed = [(rule, [other for other in rule.beside if other in settings.known])
                  for rule in RULES if rule.any_of and any(one in said for one in rule.about)]
        missing = [others[0] for rule, others in needed if others and rule.fails(settings)]
        if not missing:
            return said
        said[missing[0]] = sample(leaves(kind)[missing[0]])


def filled_without_rules(kind: type, said: dict[str, Any]) -> Any:
    from firebreak.settings.sources import keywords as source

    return bind(kind, source(said, "test")).options


def toml_of(kind: type, said: dict[str, Any]) -> str:
    lines: dict[str, list[str]] = {}
    for name, value in said.items():
        table, _, key = (leaves(kind)[name].key if name in leaves(kind) else name).rpartition(".")
        lines.setdefault(table, []).append(f"{key} = {json.dumps(value)}")
    text = "\n".join(lines.pop("", []))
    return text + "".join(f"\n[{table}]\n" + "\n".join(own) for table, own in lines.items()) + "\n"


def words_of(kind: type, said: dict[str, Any]) -> list[str]:
    words = []
    for name, value in said.items():
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words += value if isinstance(value, list) else [str(value)]
    return words


@pytest.fixture
def ways(tmp_path: Path) -> Callable[[str, dict[str, Any]], dict[str, Callable[[], Any]]]:
    """The three ways to say settings to a command."""
    def ways_of(command: str, said: dict[str, Any]) -> dict[str, Callable[[], Any]]:
        kind, path = KINDS[command], tmp_path / "own.toml"
        path.write_text(toml_of(kind, said))
        return {
            "option": lambda: bind(kind, argv(words_of(kind, said), command),
                                   command=command).options,
            "key": lambda: bind(kind, toml_file(path), command=command).options,
            "argument": lambda: filled(kind, said, command)}

    return ways_of


@pytest.mark.parametrize(("command", "name"), OPTIONS)
def test_every_setting_means_the_same_whatever_says_it(command: str, name: str, ways: Any) -> None:
    kind = KINDS[command]
    said = with_needed(kind, name)
    made = [way() for way in ways(command, said).values()]
    assert made[0] == made[1] == made[2]
    assert all(str(leaves(kind)[one].of(made[0])) == str(value) for one, value in said.items())


def refusals(command: str, said: dict[str, Any], ways: Any) -> dict[str, str]:
    """What each source says of wrong settings."""
    found = {}
    for source, way in ways(command, said).items():
        with pytest.raises(InputError) as refused:
            way()
        found[source] = str(refused.value)
    return found


def alike(command: str, said: dict[str, str]) -> set[str]:
    """The sentences with every name as Python has it, and without the place."""
    known = sorted(leaves(KINDS[command]).values(), key=lambda leaf: -len(leaf.key))
    key = re.sub(r"^\S+own\.toml(, line \d+)?(, key )?", "", said["key"])
    for leaf in known:
        key = re.sub(rf"(?<![\w.]){re.escape(leaf.key)}(?!\w)", leaf.name, key)
    option = re.sub(r"--([a-z][a-z0-9-]*)", lambda match: match[1].replace("-", "_"),
                    said["option"])
    return {option, key, said["argument"]}


def wrong_values(kind: type) -> Iterator[tuple[str, Any]]:
    """A value of another kind and one beyond each bound, of every setting that has such."""
    for name, leaf in keywords(kind).items():
        base = plain_type(next(iter(members(leaf.hint))))
        if base in (int, float) or typing.get_origin(base) is typing.Literal:
            yield name, "sometimes"
        if base is float:
            yield name, MAX_NUMBER * 10
        for bound in bounds_of(leaf.hint):
            letters = type(bound).__name__.lower()
            limit = base(getattr(bound, letters))
            yield name, limit + {"gt": 0, "ge": -1, "lt": 0, "le": 1}[letters]


WRONG = [(command, name, value) for command, kind in KINDS.items()
         for name, value in wrong_values(kind)]


@pytest.mark.parametrize(("command", "name", "value"), WRONG)
def test_every_wrong_value_is_refused_in_one_sentence(
        command: str, name: str, value: Any, ways: Any) -> None:
    said = refusals(command, {name: value}, ways)
    leaf = leaves(KINDS[command])[name]
    assert said["option"].startswith(f"{leaf.option}: expected ")
    assert re.match(rf"\S+own\.toml, line \d+, key {leaf.key}: expected ", said["key"])
    assert said["argument"].startswith(f"{name}: expected ")
    assert len(alike(command, said)) == 1, said


@pytest.mark.parametrize("command", KINDS)
def test_an_unknown_name_is_refused_in_one_sentence(command: str, ways: Any) -> None:
    said = refusals(command, {"sead": 3}, ways)
    assert {re.sub(r".*: expected an? \w+ that it has, got '(--)?sead'( = 3)?; did you mean "
                   r"'(--)?seed'\?.*", "alike", text) for text in said.values()} == {"alike"}
    assert said["option"].startswith(f"firebreak {command}: expected an option")
    assert "own.toml, line 1: expected a key" in said["key"]
    assert said["argument"].startswith(f"{command}: expected an argument")


def broken_rules(kind: type) -> Iterator[dict[str, Any]]:
    """Settings that each break one rule."""
    known = leaves(kind)
    for rule in RULES:
        there = [other for other in rule.beside if other in known]
        for name in rule.about:
            if name not in known or len(there) < (1 if rule.any_of else len(rule.beside)):
                continue
            alone = {name: sample(known[name])}
            pairs = [alone, *(alone | {other: sample(known[other])} for other in there),
                     alone | {"test_fires": 0}, alone | {"report": "none"}, {"report": "full",
                     "test_fires": 0}, {"test_fires": 1}]
            for pair in pairs:
                if all(one in known for one in pair):
                    settings = Settings(filled_without_rules(kind, pair))
                    if any(map(settings.is_said, rule.about)) and rule.fails(settings):
                        yield pair
                        break
            else:
                raise AssertionError(f"no case breaks the rule of {name}")


BROKEN = [(command, said) for command, kind in KINDS.items() for said in broken_rules(kind)]


@pytest.mark.parametrize(("command", "said"), BROKEN)
def test_every_missing_partner_and_excluded_pair_is_refused_in_one_sentence(
        command: str, said: dict[str, Any], ways: Any) -> None:
    found = refusals(command, said, ways)
    assert "own.toml, line " in found["key"] or found["key"].startswith(("test_fires", "report"))
    assert "--" not in found["argument"] + found["key"]
    assert len(alike(command, found)) == 1, found


def test_a_budget_of_a_file_blames_the_file_its_line_and_its_key(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.toml"
    path.write_text('landscape = "synthetic:1:12"\nbudget = 0\n')
    assert main(["plan", "--config", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(
        f"firebreak: {path}, line 2, key budget: expected a share (5%), an area (40ha), "
        "money (20000) or money by year (2027:50000,2028:80000), each above 0, got 0; ")


@pytest.mark.slow
def test_one_plan_from_three_sources_is_the_same(tmp_path: Path) -> None:
    said = {"method": "strips", "budget": 0.1, "plan_fires": 8, "test_fires": 0, "threads": 1,
            "report": "none", "break_kind": "shaded", "scenarios": 2}
    words = words_of(PlanOptions, said)
    assert main(["plan", "synthetic:3:16", *words, "--out", str(tmp_path / "typed")]) == 0
    path = tmp_path / "own.toml"
    path.write_text('landscape = "synthetic:3:16"\n' + toml_of(PlanOptions, said))
    assert main(["plan", "--config", str(path), "--out", str(tmp_path / "filed")]) == 0
    firebreak.plan("synthetic:3:16", **said).save(tmp_path / "called")
    plans = {(tmp_path / name / "data" / "plan.csv").read_bytes()
             for name in ("typed", "filed", "called")}
    assert len(plans) == 1


TYPED = [(command, name) for command, kind in KINDS.items() for name, leaf in keywords(kind).items()
         if {plain_type(one) for one in members(leaf.hint)} & {int, float}]
TEXTS = [(command, name) for command, kind in KINDS.items() for name, leaf in keywords(kind).items()
         if leaf.takes_text]


@pytest.mark.parametrize(("command", "name"), TYPED)
def test_text_is_a_number_on_the_command_line_alone(command: str, name: str, ways: Any) -> None:
    for source, way in ways(command, {name: str(sample(leaves(KINDS[command])[name]))}).items():
        if source != "option":
            with pytest.raises(InputError, match=r"number.*, got '"):
                way()


@pytest.mark.parametrize(("command", "name"), TEXTS)
def test_no_text_is_empty(command: str, name: str, ways: Any) -> None:
    empty = [""] if leaves(KINDS[command])[name].is_list else ""
    said = refusals(command, {name: empty}, ways)
    assert all("not empty, got ''; name one, or leave it out" in text for text in said.values())
