"""Names that the product no longer has are answered with what to use instead."""

import json
import re
from pathlib import Path

import pytest

import firebreak
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.records import warn_of_other_options, write_options
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.commands import COMMANDS
from firebreak.cli.shared.common import parse
from firebreak.cli.shared.plan_record import PlanArguments, options_in
from firebreak.planning.methods import METHODS, check_methods
from firebreak.settings import retired
from firebreak.settings.binding import bind
from firebreak.settings.schema import leaves
from firebreak.settings.sources import tables
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.run.resume import changed_settings

SPREAD = "last in version 1.0; leave it out: every fire spreads as the elliptical front"


def test_what_is_retired_is_not_there() -> None:
    assert not set(retired.METHODS) & set(METHODS)
    options = {*leaves(PlanArguments)}
    keys = {leaf.key for leaf in leaves(RunConfig).values()}
    assert not set(retired.OPTIONS) & options
    assert not {key for option in (*retired.OPTIONS.values(), *retired.KEYS)
                for key in option.keys} & keys


def test_what_is_used_instead_is_there() -> None:
    for remedy in retired.METHODS.values():
        assert any(name in remedy for name in METHODS), remedy


@pytest.mark.parametrize("words", [["--spread", "graph"], ["--spread=front"]])
def test_an_option_is_answered_with_its_remedy(words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        parse(PlanArguments, ["synthetic:3:20", *words], "plan")
    assert str(error.value) == (
        f"firebreak plan: expected an option of this version, got '--spread', {SPREAD}")


def test_a_keyword_is_answered_with_its_remedy() -> None:
    with pytest.raises(InputError, match=SPREAD):
        firebreak.plan("synthetic:3:12", spread="graph")


@pytest.mark.parametrize("name", sorted(retired.OPTIONS))
def test_every_option_names_what_there_is_instead_and_files_may_say_its_default(
        name: str, tmp_path: Path) -> None:
    option, typed = retired.OPTIONS[name], f"--{name.replace('_', '-')}"
    with pytest.raises(InputError) as error:
        parse(PlanArguments, ["synthetic:3:20", typed, "1"], "plan")
    assert str(error.value).endswith(f"got '{typed}', {retired.LAST}; {option.remedy}")
    for other in re.findall(r"--([a-z-]+)", option.remedy):
        assert other.replace("-", "_") in leaves(PlanArguments), other
    root = Path(__file__).parents[3]
    assert typed in (root / "CHANGELOG.md").read_text(encoding="utf-8").partition("### Removed")[2]
    table, _, key = option.keys[0].rpartition(".")
    path, head = tmp_path / "own.toml", f"[{table}]\n" if table else ""
    if option.default is not None:
        said = 2023 if option.default is retired.ANY else option.default
        path.write_text(f"{head}{key} = {json.dumps(said)}\n")
        assert options_in(path) == PlanArguments()
        if option.default is retired.ANY:
            return
    path.write_text(f"{head}{key} = 77\n")
    with pytest.raises(InputError, match=re.escape(option.remedy)):
        options_in(path)


@pytest.mark.parametrize("name", sorted(retired.METHODS))
def test_a_method_is_answered_with_its_remedy(name: str) -> None:
    with pytest.raises(InputError) as error:
        check_methods(["none", name], "--methods")
    assert str(error.value) == (f"--methods: expected a planning method, got '{name}', last in "
                                f"version 1.0; {retired.METHODS[name]}")


def test_a_plans_file_may_say_the_default(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[fire]\nspread = "front"\nburned_share = 0.2\n')
    assert options_in(path).scene.fire.burned_share == 0.2
    path.write_text('[fire]\nspread = "graph"\n')
    with pytest.raises(InputError) as error:
        options_in(path)
    assert str(error.value) == (f"{path}, line 2: expected a key of this version, got "
                                f"'fire.spread' = graph, {SPREAD}")


def test_a_plans_record_may_hold_retired_options_that_were_not_given() -> None:
    record = {"place": {"cost_per_ha": None, "cost_slope": 0.0, "cost_per_km": 0.5},
              "breaks": {"break_fuel": None}}
    def read(tree: dict) -> PlanArguments:
        return bind(PlanArguments, tables(tree, "options.json")).options

    assert read(record).place.cost_per_km == 0.5
    for table, key, value in (("place", "cost_per_ha", 90.0), ("place", "cost_slope", 1.0)):
        with pytest.raises(InputError, match=f"got '{table}.{key}' = {value}, last in version 1.0"):
            read({table: {key: value}})


@pytest.mark.parametrize("text", ["evaluations = 300", "search_from = 'dqn'", "batch = 4",
                                  "[breaks]\nbreak_fuel = 181", "[place]\ncost_per_ha = 9.0"])
def test_a_plans_file_that_says_more_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"own\.toml, line \d: expected a key of this version, "
                                         r".* version 1\.0; "):
        options_in(path)


def test_a_runs_file_may_say_the_default(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config = load_config("quick")
    text = as_toml(config)
    path.write_text(text.replace("[fires]\n", '[fires]\nspread = "front"\n'))
    assert "spread = " in path.read_text()
    assert load_config(str(path)) == config
    path.write_text(text.replace("[fires]\n", '[fires]\nspread = "graph"\n'))
    with pytest.raises(InputError, match=rf"config.toml, line \d+: .*'fires.spread'.*{SPREAD}"):
        load_config(str(path))
    with pytest.raises(InputError, match=rf"^--set fires.spread=graph: .*{SPREAD}"):
        load_config("quick", ["fires.spread=graph"])


def test_a_runs_file_may_say_the_defaults_of_retired_keys(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config = load_config("quick")
    lines = {"target_share": "0.0", "dueling": "false", "imitation": "0.0",
             "imitation_finish": "2000", "margin": "0.5", "return_share": "0.0",
             "return_actions": "8", "return_fires": "1000"}
    said = "".join(f"{key} = {value}\n" for key, value in lines.items())
    text = as_toml(config).replace("[agent]\n", f"[agent]\n{said}")
    text += "\n[artifacts]\nqueue = 64\nattempts = 3\ndrain_s = 60.0\n"
    path.write_text(text.replace("[mixture]\n", "[mixture]\ncell_sizes_m = []\n").replace(
        "[landscapes]\n", "[landscapes]\ntrain_maps = []\n"))
    assert load_config(str(path)) == config
    with pytest.raises(InputError, match=r"'mixture\.cell_sizes_m' = \[30\], last in version 1.0"):
        load_config("quick", ["mixture.cell_sizes_m=[30]"])
    path.write_text(f"{text}store = 'copies'\n")
    with pytest.raises(InputError, match=r"line \d+: .*'artifacts\.store' = copies, .* rsync"):
        load_config(str(path))
    with pytest.raises(InputError, match=r"'agent\.dueling' = True, last in version 1.0"):
        load_config("quick", ["agent.dueling=true"])
    with pytest.raises(InputError, match=r"'agent\.return_share' = 0\.5, last in version 1.0"):
        load_config("quick", ["agent.return_share=0.5"])


def test_a_runs_file_may_list_methods_that_were_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config = load_config("quick")
    text = as_toml(config)
    assert '"burn-probability", ' in text
    path.write_text(text.replace('"burn-probability", ',
                                 '"burn-probability", "downstream-value-static", '))
    assert load_config(str(path)) == config
    with pytest.raises(InputError, match=r"last in version 1\.0; use downstream-value"):
        load_config("quick", ["evaluation.methods=['none', 'downstream-value-static']"])


def test_a_runs_file_may_have_tables_that_train_never_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config = load_config("quick")
    text = as_toml(config)
    saved = (f"{text}\n[trials]\nfolds = 7\nsearch = {{ \"agent.n_step\" = [1, 3] }}\n"
             "[evolution]\npopulation = 8\n")
    path.write_text(saved)
    assert load_config(str(path)) == config
    assert changed_settings(saved, text) == []
    for table in retired.TABLES:
        with pytest.raises(InputError, match=rf"^--set {table}\.x=3: .*, last in version 1\.0"):
            load_config("quick", [f"{table}.x=3"])


@pytest.mark.parametrize("name", sorted(retired.COMMANDS))
def test_a_command_is_answered_with_its_remedy(
        name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "quick", "--help"]) == 2
    assert capsys.readouterr().err == (
        f"firebreak: COMMAND: expected a command of this version, got '{name}', last in version "
        f"1.0; {retired.COMMANDS[name]}\n")
    assert name not in COMMANDS


def test_a_plan_of_other_fires_is_warned_of(tmp_path: Path,
                                            recwarn: pytest.WarningsRecorder) -> None:
    options = PlanOptions().scene
    for spread, warned in (("front", 0), ("graph", 1)):
        path = write_options(tmp_path, options)
        path.write_text(path.read_text().replace('"crown":', f'"spread": "{spread}", "crown":'))
        warn_of_other_options(tmp_path, options)
        assert len(recwarn) == warned
    assert "(spread graph there, which is retired)" in str(recwarn[0].message)
