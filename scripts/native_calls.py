"""Record calls of the native library, and play them again where Python does not run.

    python scripts/native_calls.py record CALLS             burn, burn again, try, plan; every entry
    python scripts/native_calls.py replay CALLS             by a program of this machine
    python scripts/native_calls.py replay CALLS --levels    at every level of the instruction set
    python scripts/native_calls.py replay CALLS --sanitize thread --threads 4
    python scripts/native_calls.py replay CALLS --target aarch64-linux-gnu --run qemu-aarch64-static

`replay` builds `native_replay.cpp` with the library's sources, runs it on the recording and exits
with 1 where a bit differs. With --target the compiler is zig (`pip install ziglang`).
"""

import argparse
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from build_native import FLAGS, SOURCES, _needed, _processor_flags, _zig, find_compiler
from numpy.typing import NDArray

from firebreak.native_library import entries
from firebreak.native_library.layouts import ArrayLayout, Held, Layout
from firebreak.native_library.names import LEVELS, processor_flags, processor_hash

ROOT = Path(__file__).resolve().parent.parent
MOST_CALLS, MOST_BYTES = 8, 800_000_000
_CALL = entries.call
SCRATCH = ("Workspace", "Changes", "states")
"""Memory that holds nothing between calls; how it is used may differ between processors."""


class Recorded(NamedTuple):
    """An array of a call. place: of its pointer among the words. compared: it is, after a replay.
    by_thread: it has a part for each thread.
    """

    place: int
    array: NDArray
    compared: bool
    by_thread: bool


def arrays_of(layout: Layout, values: tuple, first: int) -> Iterator[Recorded]:
    """The arrays of a call, whose words begin with word `first`."""
    place, scratch = first, layout.name in SCRATCH
    for (name, part), value in zip(layout.parts.items(), values, strict=True):
        if isinstance(part, ArrayLayout):
            yield Recorded(place, value, part.written and not scratch and name not in SCRATCH,
                           any(axis.name == "T" for axis in part.axes))
            place += 1 + len(part.axes)
        elif isinstance(part, str):
            place += 1
        else:
            yield from arrays_of(part, value.value if isinstance(value, Held) else value, place)
            place += part.words.size // 8


class Recorder:
    """Writes each call with its arrays as they were before and, where written, after."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")
        self.count = 0
        self.seen: dict[str, int] = {}
        self.file.write(struct.pack("<Q", 0))

    def call(self, own: entries.Entry, values: tuple) -> None:
        """Makes a call; records it, unless it is a common one that was recorded often."""
        if self.seen.get(own.name, 0) >= MOST_CALLS or self.file.tell() > MOST_BYTES:
            _CALL(own, values)
            return
        self.seen[own.name] = self.seen.get(own.name, 0) + 1
        parts = list(arrays_of(own.layout, values, int(own.parallel)))
        words, before = entries.words_of(own, values), [part.array.tobytes() for part in parts]
        _CALL(own, values)
        self._write(own, words, parts, before)

    def _write(self, entry: entries.Entry, words: bytes, parts: list[Recorded],
               before: list[bytes]) -> None:
        name, put = entry.name.encode(), self.file.write
        put(struct.pack("<Q", len(name)) + name)
        put(struct.pack("<QQ", entry.parallel, len(words) // 8) + words)
        put(struct.pack("<Q", len(parts)))
        for part, was in zip(parts, before, strict=True):
            put(struct.pack("<QQQQ", part.place, part.compared, part.by_thread, len(was)) + was)
            if part.compared:
                put(part.array.tobytes())
        self.count += 1

    def close(self) -> None:
        """Writes how many calls there are."""
        self.file.seek(0)
        self.file.write(struct.pack("<Q", self.count))
        self.file.close()


def record(path: Path) -> None:
    """Runs small jobs of every kind, and records what they call."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from native_jobs import every_kind_of_job

    recorder = Recorder(path)
    entries.call = recorder.call
    try:
        every_kind_of_job()
    finally:
        entries.call = _CALL
        recorder.close()
    missing = sorted(name for name in entries.ENTRIES if name not in recorder.seen)
    print(f"{recorder.count} calls of {len(recorder.seen)} entries, "
          f"{path.stat().st_size / 1e6:.0f} MB")
    if missing:
        raise SystemExit(f"no call of {', '.join(missing)}")


def _entries_header() -> str:
    names = sorted(name for name in _names_in_sources())
    declared = "\n".join(f'extern "C" const char* firebreak_{name}(const void*);' for name in names)
    listed = ",\n    ".join(f'{{"{name}", firebreak_{name}}}' for name in names)
    return f"}}\n{declared}\nnamespace {{\nconst Named ENTRIES[] = {{\n    {listed}}};\n"


def _names_in_sources() -> set[str]:
    return {name for path in SOURCES.glob("*.cpp")
            for name in re.findall(r"^ENTRY\((\w+),", path.read_text(encoding="utf-8"), re.M)}


def _built(folder: Path, given: argparse.Namespace, level: str) -> Path:
    """The program that replays, for a target, a level of the instruction set or this machine."""
    compiler = _needed(_zig() if given.target else find_compiler())
    (folder / "entries.inc").write_text(_entries_header(), encoding="ascii")
    own = (["-target", given.target] if given.target else _processor_flags(level, compiler))
    own += [f"-fsanitize={given.sanitize}", "-g"] if given.sanitize else []
    flags = [flag for flag in FLAGS if flag != "-fvisibility=hidden"]

    def compiled(source: Path) -> str:
        path = str(folder / f"{source.stem}.o")
        subprocess.run([*compiler.compile, *flags, *own, f"-I{folder}", "-c", str(source), "-o",
                        path], check=True)
        return path

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, (*sorted(SOURCES.glob("*.cpp")),
                                           ROOT / "scripts" / "native_replay.cpp")))
    subprocess.run([*compiler.link, *own, *objects, "-lm", "-lpthread", "-o",
                    str(folder / "replay")], check=True)
    return folder / "replay"


def replay(given: argparse.Namespace, level: str) -> int:
    """Builds the program and runs it; its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        program = _built(Path(folder), given, level)
        threads = [str(given.threads)] if given.threads else []
        done = subprocess.run([*shlex.split(given.run), str(program), str(given.calls), *threads],
                              capture_output=True, text=True, check=False)
    *calls, last = done.stdout.splitlines() or ["nothing was played"]
    for line, count in sorted(Counter(calls).items()):
        print(f"{count:6} {line}")
    print(last)
    sys.stderr.write(done.stderr)
    return done.returncode


def replay_levels(given: argparse.Namespace) -> int:
    """Replays at every level of the instruction set that this processor has; says which it lacks.
    """
    worst, flags = 0, processor_flags()
    for level, needed in {**LEVELS, "any": ""}.items():
        if missing := set(needed.split()) - flags:
            print(f"{level}: not run, this processor has no {', '.join(sorted(missing))}")
            continue
        print(f"{level}:", flush=True)
        worst = max(worst, replay(given, level))
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("record", "replay"))
    parser.add_argument("calls", type=Path, help="the recording")
    parser.add_argument("--sanitize", default="", help="a sanitizer, such as thread")
    parser.add_argument("--threads", type=int, default=0, help="of calls that are parallel")
    parser.add_argument("--target", default="", help="of a cross compiler, as zig names it")
    parser.add_argument("--run", default="", help="program that runs it, such as an emulator")
    parser.add_argument("--levels", action="store_true", help="at every level of the instructions")
    given = parser.parse_args()
    if given.verb == "record":
        record(given.calls)
        return 0
    return replay_levels(given) if given.levels else replay(given, f"here-{processor_hash()}")


if __name__ == "__main__":
    sys.exit(main())
