"""Write the C++ headers that say the same as Python: src/native/structs.h and tables.h.

    python scripts/native_headers.py             write them
    python scripts/native_headers.py --check     write nothing; exit 1 where one is out of date

structs.h: what the entries of the native library take, from the annotations in Python. tables.h:
the stencil, codes and sizes that both sides need.
"""

import argparse
import inspect
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from firebreak.env import kernels as env
from firebreak.fire.effects import keyed_random
from firebreak.fire.incremental import structs as incremental
from firebreak.fire.solver import structs as solver
from firebreak.fire.travel import arcs, stencil
from firebreak.fire.travel import kernels as travel
from firebreak.native_library.entries import ENTRIES, camel_case
from firebreak.native_library.layouts import ArrayLayout, Layout

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "src" / "native"
MODULES = ("firebreak.fire.effects.keyed_random", "firebreak.fire.travel.kernels",
           "firebreak.fire.solver.kernels",
           "firebreak.fire.incremental.kernels", "firebreak.env.kernels",
           "firebreak.planning.core.kernels", "firebreak.agent.kernels", "native_probes")
"""Where entries are; the last one, of the tests, calls single rules."""
TYPES = {"float32": "float", "float64": "double", "uint8": "u8", "int32": "i32", "uint32": "u32",
         "int64": "i64", "uint64": "u64", "bool": "bool"}
NUMBERS = {"q": "i64", "Q": "u64", "d": "double"}
NOTE = "// Written by scripts/native_headers.py; edit the Python that it names.\n#pragma once\n"
CODES: dict[Any, tuple[str, ...]] = {
    arcs: ("CLOSED", "OPEN", "NEAR", "NARROW_BREAK", "BREAK", "HELD_BREAK"),
    stencil: ("REACH", "STEPS", "FACETS", "FACET_CODE", "HELD", "SPOT", "IGNITION", "UNBURNED"),
    solver: ("UNSEEN", "FINAL", "BURNED_NO_SPREAD", "STOPPED", "ADDED", "MISSED", "BUCKETS",
             "PER_BUCKET", "BATCH", "TRIED", "FOUND", "LINE"),
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


def _struct(layout: Layout, name: str, description: str, first: str = "") -> str:
    lines = [f"    {first}"] if first else []
    for field, part in layout.parts.items():
        if isinstance(part, ArrayLayout):
            lines.append(f"    {_type_of(part)} {field};  // {_axes(part)}")
        else:
            kind = NUMBERS[part] if isinstance(part, str) else part.name
            lines.append(f"    {kind} {field};")
    comment = "".join(f"// {line}".rstrip() + "\n" for line in textwrap.wrap(description, 96))
    return f"{comment}struct {name} {{\n" + "\n".join(lines) + "\n};\n"


def _sentence(text: str) -> str:
    """The first paragraph of a docstring."""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


def structs_header() -> str:
    """The text of structs.h."""
    for module in MODULES:
        import_module(module)
    parts: dict[str, str] = {}

    def add(layout: Layout) -> None:
        for part in layout.parts.values():
            if isinstance(part, Layout) and part.name not in parts:
                add(part)
                kind = next(kind for kind in _tuples() if kind.__name__ == part.name)
                parts[part.name] = _struct(part, part.name, _sentence(kind.__doc__ or ""))

    for entry in ENTRIES.values():
        add(entry.layout)
    calls = [_struct(entry.layout, camel_case(entry.name), _sentence(entry.description),
                     "i64 threads;" if entry.parallel else "") for entry in ENTRIES.values()]
    return (NOTE + "// Named tuples of arrays, and the arguments of each entry, as Python packs "
            'them.\n\n#include "array.h"\n\nnamespace firebreak {\n\n'
            + "\n".join([*parts.values(), *calls]) + "\n}  // namespace firebreak\n")


def _tuples() -> list[type]:
    return [kind for module in (arcs, solver, incremental) for kind in vars(module).values()
            if isinstance(kind, type) and issubclass(kind, tuple)]


def _number(name: str, value: Any) -> str:
    if isinstance(value, float):
        return f"constexpr double {name} = {value!r};"
    least = int(value) == -2**63  # no literal of C++
    return f"constexpr i64 {name} = {'INT64_MIN' if least else int(value)};"


def _braced(values: np.ndarray, suffix: str) -> str:
    if values.ndim == 1:
        return ", ".join(f"{value}{suffix}" for value in values.tolist())
    return ", ".join(f"{{{_braced(part, suffix)}}}" for part in values)


def _array(kind: str, name: str, values: np.ndarray) -> str:
    text = textwrap.fill(_braced(values, "u" if kind in ("u64", "u32") else ""), 92,
                         initial_indent="    ", subsequent_indent="    ")
    axes = "".join(f"[{length}]" for length in values.shape)
    return f"constexpr {kind} {name}{axes} = {{\n{text}}};\n"


def tables_header() -> str:
    """The text of tables.h."""
    own = stencil.STENCIL
    lines = [_number(name, getattr(module, name)) for module, names in CODES.items()
             for name in names]
    lanes = np.array(arcs.LANES, np.int64)
    tables = [
        _array("i64", "STEP_ROW", own.steps[:, 0]), _array("i64", "STEP_COL", own.steps[:, 1]),
        _array("i64", "FACET_A", own.facets[:, 0]), _array("i64", "FACET_B", own.facets[:, 1]),
        _array("u64", "TOUCHING", own.touching),
        _array("i64", "STEP_CROSSES", own.step_crosses),
        _array("i64", "STEP_COUNT", own.step_cross_count),
        _array("i64", "FACET_CROSSES", own.facet_crosses),
        _array("i64", "FACET_COUNT", own.facet_cross_count),
        _array("i64", "LANE_ROW", lanes[:, 0]), _array("i64", "LANE_COL", lanes[:, 1]),
        _array("i64", "STEP_OF_LANE", arcs.STEP_OF_LANE),
        _array("i64", "LANE_OF_STEP", arcs.LANE_OF_STEP)]
    return (NOTE + "// The stencil of `firebreak.fire.travel.stencil`, and codes and sizes that "
            'both sides know.\n\n#include "array.h"\n\nnamespace firebreak {\n\n'
            + "\n".join(lines) + "\n\n" + "\n".join(tables) + "\n}  // namespace firebreak\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    own = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    stale = []
    for name, text in (("structs.h", structs_header()), ("tables.h", tables_header())):
        path = NATIVE / name
        if not path.exists() or path.read_text(encoding="ascii") != text:
            stale.append(name)
            if not own.check:
                path.write_text(text, encoding="ascii")
    print("\n".join(stale) or "up to date")
    return 1 if own.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
