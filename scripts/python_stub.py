"""Writes src/firebreak/__init__.pyi: what editors and type checkers know of the public functions.

    python scripts/python_stub.py

The options are those of the classes that the command line has its options from, so that a name and
its default are said once; a test checks that the file is up to date.
"""

import inspect
import sys
import types
import typing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "firebreak" / "__init__.pyi"
HEAD = '''"""Written by scripts/python_stub.py: the public functions with their options."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from firebreak.agent.own_network import MakeNetwork
from firebreak.api.compared import ComparedPlans
from firebreak.api.planned import PlannedBreaks
from firebreak.api.simulated import SimulatedFires
from firebreak.api.trained import TrainedPolicy
from firebreak.checks import InputError as InputError
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.own_method import MethodProblem as MethodProblem
from firebreak.planning.core.own_method import OwnMethod

__version__: str
__all__ = {names!r}

Source = str | Path | Landscape

'''
VERBS = ("read_landscape", "simulate", "plan", "evaluate", "train_policy")
OWN = {"landscape": "Source", "landscapes": "Source | Sequence[Source]"}
ALSO = {"network": "MakeNetwork | None", "method": "str | OwnMethod | None",
        "methods": "str | Sequence[str | OwnMethod]",
        "set": "dict[str, Any] | Sequence[str]"}


def text() -> str:
    """The stub."""
    sys.path.insert(0, str(ROOT / "src"))
    import firebreak

    signatures = {name: inspect.signature(getattr(firebreak, name)) for name in VERBS}
    options = {name: {one.name: _word(one) for one in own.parameters.values()
                      if one.kind is one.KEYWORD_ONLY} for name, own in signatures.items()}
    # Options that several functions have are said once.
    land = options["read_landscape"]
    scene = {name: word for name, word in options["simulate"].items() if name not in land and all(
        options[verb].get(name) == word for verb in ("plan", "evaluate"))}
    parts = [HEAD.format(names=firebreak.__all__), _group("_Land", "TypedDict", land),
             _group("_Scene", "_Land", scene)]
    for name, own in signatures.items():
        group = ("_Land" if name == "read_landscape" else
                 "_Scene" if scene.items() <= options[name].items() else "")
        words = [_word(one) for one in own.parameters.values() if one.kind is not one.KEYWORD_ONLY]
        keywords = [word for key, word in options[name].items()
                    if not group or (key not in land and key not in scene)]
        words += [*(["*", *keywords] if keywords else []),
                  *([f"**options: Unpack[{group}]"] if group else [])]
        kept = inspect.signature(getattr(firebreak, name).__wrapped__).return_annotation
        lines = ",\n".join(f"    {word}" for word in words)
        parts.append(f"def {name}(\n{lines},\n) -> {kept.__name__}: ...\n")
    return "\n".join(parts).replace("\n\n\n\n", "\n\n")


def _group(name: str, base: str, words: dict[str, str]) -> str:
    """A class of options that may each be left out."""
    lines = "\n".join(f"    {word.partition(' = ')[0]}" for word in words.values())
    return f"class {name}({base}, total=False):\n{lines}\n"


def _word(parameter: inspect.Parameter) -> str:
    kind = OWN.get(parameter.name) or ALSO.get(parameter.name) or _kind(parameter.annotation)
    if parameter.default is parameter.empty:
        return f"{parameter.name}: {kind}"
    default = getattr(parameter.default, "plain", lambda: parameter.default)()
    return f"{parameter.name}: {kind} = {default!r}" if isinstance(
        default, str | int | float | bool | None) else f"{parameter.name}: {kind} = ..."


def _kind(hint: Any) -> str:
    """A type as source text; what takes anything is Any."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = typing.get_args(hint)
        if object in parts:
            return "Any"
        texts = [_kind(part) for part in parts if part is not type(None)]
        return " | ".join([*texts, *(["None"] if type(None) in parts else [])])
    if typing.get_origin(hint) is typing.Literal:
        return f"Literal[{', '.join(map(repr, typing.get_args(hint)))}]"
    if hint is object:
        return "Any"
    return getattr(hint, "__name__", str(hint)) if not typing.get_args(hint) else str(
        hint).replace("collections.abc.", "").replace("typing.", "")


if __name__ == "__main__":
    OUT.write_text(text(), encoding="utf-8")
    print(OUT)
