"""Write the C++ headers that say the same as Python: src/native/structs.h and tables.h, and
tests/native/probes.h.

    python scripts/native_headers.py             write them
    python scripts/native_headers.py --check     write nothing; exit 1 where one is out of date

structs.h, probes.h: what the entries of the native library, and of that of the tests, take, from
the annotations in Python. tables.h: the stencil, codes and sizes that both sides need.
"""

import argparse
import sys
import textwrap
from collections.abc import Iterable
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from firebreak.env import kernels as env
from firebreak.fire.effects import keyed_random
from firebreak.fire.incremental import structs as incremental
from firebreak.fire.solver import structs as solver
from firebreak.fire.travel import arcs, stencil
from firebreak.fire.travel import kernels as travel
from firebreak.native_library.entries import ENTRIES, Entry
from firebreak.native_library.layouts import ArrayLayout, Layout

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "src" / "native"
MODULES = ("firebreak.fire.travel.kernels",
           "firebreak.fire.solver.kernels",
           "firebreak.fire.incremental.kernels", "firebreak.env.kernels",
           "firebreak.planning.core.kernels", "firebreak.agent.kernels")
"""Files of entries."""
TYPES = {"float32": "float", "float64": "double", "uint8": "u8", "int32": "i32", "uint32": "u32",
         "int64": "i64", "uint64": "u64", "bool": "bool"}
NUMBERS = {"q": "i64", "Q": "u64", "d": "double"}
NOTE = "// Written by scripts/native_headers.py; edit the Python that it names.\n#pragma once\n"
CODES: dict[Any, tuple[str, ...]] = {
    arcs: ("CLOSED", "OPEN", "NEAR", "NARROW_BREAK", "BREAK", "HELD_BREAK",
           "BARE", "BARE_CODES"),
    stencil: ("REACH", "STEPS", "FACETS", "FACET_CODE", "HELD", "SPOT", "IGNITION", "UNBURNED"),
    solver: ("UNSEEN", "FINAL", "BURNED_NO_SPREAD", "STOPPED", "ADDED", "MISSED",
             "QUEUE_SPARE", "FRONT_WORDS"),
    incremental: ("INVALIDATED", "NOT_TRIED"),
    keyed_random: tuple(name for name in vars(keyed_random) if name.startswith("DRAW_")),
    env: ("STOPS", "CROSSED", "PLACED"),
    travel: ("MAX_SLOPE_TAN", "RATE_GATE"),
}
"""Numbers that kernels know by name, by the module that defines them."""


def _type_of(part: ArrayLayout) -> str:
    lengths = [str(axis.times) if not axis.name and not axis.most and axis.times else "ANY"
               for axis in part.axes]
    const = "" if part.written else "const "
    return f"Array<{const}{TYPES[part.dtype.name]}, {', '.join(lengths)}>"


def _axes(part: ArrayLayout) -> str:
    words = [f"{'<=' if axis.most else ''}{axis.times if axis.times > 1 or not axis.name else ''}"
             f"{axis.name}" if axis.name or axis.times else "?" for axis in part.axes]
    return " ".join(words) + (" or none" if part.optional else "")


def _declared(part: Any) -> tuple[str, str]:
    """The type of a field, and the comment behind it."""
    if isinstance(part, ArrayLayout):
        return _type_of(part), f"  // {_axes(part)}"
    return NUMBERS[part] if isinstance(part, str) else part.name, ""


def _struct(layout: Layout, name: str, first: str = "") -> str:
    lines = [f"    {first}"] if first else []
    for (kind, comment), fields in groupby(layout.parts, lambda key: _declared(layout.parts[key])):
        lines += _wrapped(f"{kind} {', '.join(fields)};{comment}", "    ")
    return f"struct {name} {{\n" + "\n".join(lines) + "\n};\n"


def _wrapped(declaration: str, indent: str = "") -> list[str]:
    whole = declaration.replace(" = ", "\0=\0")  # a name stays on the line of its number
    lines = textwrap.wrap(whole, 98, initial_indent=indent, subsequent_indent=indent + "    ")
    return [line.replace("\0", " ") for line in lines]


def structs_header() -> str:
    """The text of structs.h."""
    for module in MODULES:
        import_module(module)
    parts: dict[str, str] = {}

    def add(layout: Layout) -> None:
        for part in layout.parts.values():
            if isinstance(part, Layout) and part.name not in parts:
                add(part)
                parts[part.name] = _struct(part, part.name)

    for entry in ENTRIES.values():
        add(entry.layout)
    calls = _calls(ENTRIES.values())
    return (NOTE + "// Named tuples of arrays, and the arguments of each entry, as Python packs "
            "them. What a part\n// means is said by the Python tuple or function of the same "
            "name.\n"
            '\n#include "array.h"\n\nnamespace firebreak {\n\n'
            + "\n".join([*parts.values(), *calls]) + "\n}  // namespace firebreak\n")


def _calls(entries: Iterable[Entry]) -> list[str]:
    """The struct of the arguments of each entry: burn_many -> BurnMany."""
    return [_struct(entry.layout, "".join(map(str.capitalize, entry.name.split("_"))),
                    "i64 threads;" if entry.parallel else "") for entry in entries]


def probes_header() -> str:
    """The text of probes.h."""
    sys.path.insert(0, str(ROOT / "tests"))
    from native_probes import PROBES

    return (NOTE + '\n#include "../../src/native/structs.h"\n\nnamespace firebreak {\n\n'
            + "\n".join(_calls(PROBES.values())) + "\n}  // namespace firebreak\n")


def _numbers(module: Any, names: tuple[str, ...]) -> str:
    """The numbers that kernels know of a module, in declarations by type."""
    values = {name: getattr(module, name) for name in names}
    lines = []
    for kind, type_ in ((float, "double"), (int, "i64")):
        # The least number of 64 bits is no literal of C++.
        own = [f"{name} = {value if value > -2**63 else 'INT64_MIN'}"
               for name, value in values.items() if isinstance(value, float) == (kind is float)]
        if own:
            lines += _wrapped(f"constexpr {type_} {', '.join(own)};")
    return "\n".join([f"// {module.__name__}", *lines])


def _array(kind: str, name: str, values: np.ndarray) -> str:
    text = ", ".join(f"{value}{'u' * kind.startswith('u')}" for value in values.tolist())
    return "\n".join(_wrapped(f"constexpr {kind} {name}[{len(values)}] = {{{text}}};"))


def _crossed() -> np.ndarray:
    """Cells that the arc of each parent code crosses as the bits of a word, eight to a row of
    cells around the child: the columns up to its own, then those from its own on.
    """
    own = stencil.STENCIL
    crosses = np.concatenate([own.step_crosses, own.facet_crosses])
    counts = [*own.step_cross_count, *own.facet_cross_count]
    return np.array([sum(1 << (row + stencil.REACH) * 8 + col + stencil.REACH + (col > 0)
                         for row, col in cells[:count].tolist())
                     for cells, count in zip(crosses, counts, strict=True)], np.uint64)


def tables_header() -> str:
    """The text of tables.h."""
    own, lanes = stencil.STENCIL, np.array(arcs.LANES, np.int64)
    tables = [
        _array("i64", "STEP_ROW", own.steps[:, 0]), _array("i64", "STEP_COL", own.steps[:, 1]),
        _array("i64", "FACET_A", own.facets[:, 0]), _array("i64", "FACET_B", own.facets[:, 1]),
        _array("u64", "TOUCHING", own.touching), _array("u64", "CROSSES", _crossed()),
        _array("i64", "LANE_ROW", lanes[:, 0]), _array("i64", "LANE_COL", lanes[:, 1]),
        _array("i64", "STEP_OF_LANE", arcs.STEP_OF_LANE),
        _array("i64", "LANE_OF_STEP", arcs.LANE_OF_STEP)]
    return (NOTE + "// The stencil of `firebreak.fire.travel.stencil`, and codes and sizes that "
            'both sides know.\n\n#include "array.h"\n\nnamespace firebreak {\n\n'
            + "\n".join(_numbers(*pair) for pair in CODES.items()) + "\n\n"
            + "\n".join(tables) + "\n\n}  // namespace firebreak\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    own = parser.parse_args()
    stale = []
    for path, text in ((NATIVE / "structs.h", structs_header()),
                       (NATIVE / "tables.h", tables_header()),
                       (ROOT / "tests" / "native" / "probes.h", probes_header())):
        if not path.exists() or path.read_text(encoding="ascii") != text:
            stale.append(path.name)
            if not own.check:
                path.write_text(text, encoding="ascii")
    print("\n".join(stale) or "up to date")
    return 1 if own.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
