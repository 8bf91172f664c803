"""What the commands share: parsing, threads, the JSON line, output folders."""

import contextlib
import dataclasses
import json
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import tyro

from firebreak.checks import fail
from firebreak.cli.shared.option_bounds import check_numbers
from firebreak.cli.shared.percents import without_percents
from firebreak.files import made_folder, write_text
from firebreak.reading import from_toml, record_of
from firebreak.settings.breaks import BreakSettings
from firebreak.settings.surfaces import TOML_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from firebreak.agent.policy_file import Policy
    from firebreak.cli.shared.scene_options import SceneOptions
    from firebreak.train.config.schema import ArtifactsConfig

SCHEMA = 1
OPTIONS_FILE = "options.json"
Arguments = TypeVar("Arguments")


def parse(kind: type[Arguments], arguments: list[str], command: str,
          default: Arguments | None = None) -> Arguments:
    """Parses a command's options into its dataclass, over `default`; --help and mistakes end the
    program. Shares may be percentages.

    Raises:
        InputError: a number out of its bounds.
    """
    parsed = tyro.cli(kind, args=without_percents(kind, arguments), prog=f"firebreak {command}",
                      default=tyro.MISSING_NONPROP if default is None else default,
                      config=(tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes))
    check_numbers(parsed)
    return parsed


def without_seed(arguments: "Sequence[str]") -> list[str]:
    """A command's arguments without `--seed N`: every command takes one, also where nothing is
    drawn, and there it is not in --help.

    Raises:
        InputError: a seed that is no whole number.
    """
    kept, words = [], iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name != "--seed":
            kept.append(word)
            continue
        text = value if equals else next(words, "")
        try:
            int(text)
        except ValueError:
            raise fail(expected="a whole number", given=f"'{text}'", where="--seed",
                       remedy="leave it out: this command draws nothing") from None
    return kept


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.fire import max_threads, set_threads

    set_threads(count or max_threads())
    if torch_threads is not None:
        from firebreak.train.run.machine import use_network_threads

        use_network_threads(torch_threads)


def print_json(content: dict[str, Any]) -> None:
    """The machine-readable last line."""
    print(json.dumps({"schema": SCHEMA, **content}, allow_nan=False))


def chosen_folder(given: Path | None, name: str) -> Path:
    """The output folder: `given`, or outputs/NAME-TIME. It is not made yet.

    Raises:
        InputError: `given` is a file.
    """
    folder = given or Path("outputs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    stamp, number = folder.name, 1
    while given is None and folder.exists():  # two in a second, or a clock that was set back
        number += 1
        folder = folder.with_name(f"{stamp}-{number}")
    if folder.exists() and not folder.is_dir():
        raise fail(expected="a folder", given="a file", where=str(folder),
                   remedy="choose another --out")
    return folder


def new_folder(given: Path | None, name: str) -> Path:
    """`chosen_folder`, made."""
    return made_folder(chosen_folder(given, name))


@contextlib.contextmanager
def copied(folder: Path, config: "ArtifactsConfig") -> "Iterator[None]":
    """Copies a run's checkpoints and reports to its store, and says so where some could not be."""
    from firebreak.train.storage.artifacts import mirrored

    with mirrored(folder, config) as mirror:
        yield
    if mirror is not None and mirror.failed:
        warnings.warn(f"{mirror.failed} files were not copied to {config.store}: {mirror.reason}",
                      stacklevel=2)


def write_options(folder: Path, options: Any, **more: dict[str, Any]) -> Path:
    """Writes the options of the scene, and further groups, beside their results, so that these say
    what they are for.
    """
    path = folder / OPTIONS_FILE
    groups = _groups(options) | plain(more)
    write_text(path, json.dumps(groups, indent=2) + "\n")
    return path


def warn_of_other_options(plan: Path, options: Any) -> None:
    """Warns where a plan was made under other options than those it is now looked at under."""
    path = (plan if plan.is_dir() else plan.parent) / OPTIONS_FILE
    try:
        made = record_of(path)
    except (OSError, ValueError):
        made = None
    if not isinstance(made, dict):
        return  # made by hand, or by another program
    other = [f"{key.replace('_', '-')} {made[group].get(key)} there, {value} here"
             for group, values in _groups(options).items() if isinstance(made.get(group), dict)
             for key, value in values.items() if made[group].get(key, value) != value]
    if other:
        warnings.warn(f"{plan}: this plan was made under other options ({'; '.join(other)})",
                      stacklevel=2)


def policy_for(methods: "Sequence[str]", given: Path | None,
               options: "SceneOptions") -> "Policy | None":
    """The policy that is given, or the shipped one where a method follows a policy, else None. A
    chooser tries methods with and without one: that the shipped one was trained for other breaks
    is then no news.

    Raises:
        InputError: not a policy of this version.
    """
    from firebreak.agent.policy_file import SHIPPED, load_policy
    from firebreak.planning.methods import CHOOSERS, method_of

    follows = any(method_of(name).guided for name in methods)
    if given is None and not follows and not CHOOSERS.keys() & set(methods):
        return None
    policy = load_policy(given or SHIPPED)
    if given is not None or follows:
        warn_of_other_breaks(policy, options)
    return policy


def _trained_breaks(policy: "Policy") -> dict[str, Any]:
    """The breaks of the configuration that a policy was trained with; none if it does not say."""
    try:
        trained = from_toml(policy.provenance["config"])["breaks"]
    except (TypeError, AttributeError, LookupError, ValueError):
        return {}
    return trained if isinstance(trained, dict) else {}


def warn_of_other_breaks(policy: "Policy", options: "SceneOptions") -> None:
    """Warns where a policy was trained for another kind of break than it is asked to plan."""
    trained = _trained_breaks(policy)
    asked = break_settings(options)
    usual = dataclasses.asdict(BreakSettings())  # of settings that are younger than the policy
    there = {TOML_NAMES.get(name, name): value for name, value in usual.items()} | trained
    other = [f"{name} {there[name]} there, {value} here" for name, value in asked.items()
             if trained and there[name] != value]
    if other:
        warnings.warn(f"the policy was trained for other breaks ({'; '.join(other)})",
                      stacklevel=2)


def break_settings(options: "SceneOptions") -> dict[str, Any]:
    """What breaks are, by the names that a configuration's [breaks] has for it."""
    return {TOML_NAMES.get(name, name): value
            for name, value in dataclasses.asdict(options.breaks).items()}


def plain(tree: dict[str, Any]) -> dict[str, Any]:
    """Groups of options as JSON can hold them."""
    return {key: plain(value) if isinstance(value, dict)
            else str(value) if isinstance(value, Path) else value for key, value in tree.items()}


def _groups(options: Any) -> dict[str, dict[str, Any]]:
    """The groups of options; seeds, threads and output are not among them."""
    return {group: values for group, values in plain(dataclasses.asdict(options)).items()
            if isinstance(values, dict)}
