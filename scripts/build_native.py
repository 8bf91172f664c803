"""Build the native library of src/native; needs Python 3.11 and a C++17 compiler, nothing else.

    python3 scripts/build_native.py                 for this machine, into the package
    python3 scripts/build_native.py --levels        for every level of the instruction set
    python3 scripts/build_native.py --sanitize address,undefined --out FOLDER

The compiler is CXX, or else c++, g++, clang++ or zig (`pip install ziglang`), the first that has
vector extensions. Objects are kept in build/native, so that an edited source is compiled alone.
Exit codes: 0 built, 3 it cannot be built.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "native"
PACKAGE = ROOT / "src" / "firebreak" / "native_library"
PROBES = ROOT / "tests" / "native"
"""Single rules, which the tests call, in a library of their own."""
CACHE = ROOT / "build" / "native"
FLAGS = ("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
         # The bits of a fire are a promise: no contraction into fused operations, whatever the
         # compiler does by itself; no other freedom of evaluation is given.
         "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
         "-Wall", "-Wextra", "-Wno-psabi",
         # GCC 12 warns of its own headers of AVX-512.
         "-Wno-unknown-warning-option", "-Wno-maybe-uninitialized")
ZIG = "ziglang>=0.13,<0.17"
"""A compiler from the package index, of 100 MB."""
NO_COMPILER = ("the native library needs a C++17 compiler with vector extensions, and there is "
               "none; install g++ 12 or clang, or 'pip install ziglang'")
PROBE = """typedef double four __attribute__((vector_size(32)));
four turned(four x) { return __builtin_shufflevector(x, x, 3, 2, 1, 0); }
"""


class BuildError(Exception):
    """The library cannot be built; the text is one sentence."""


class Compiler(NamedTuple):
    """Commands that compile an object and link a library. zig: its own names of processors."""

    compile: tuple[str, ...]
    link: tuple[str, ...]
    zig: bool


# By itself: the package may not be installed yet.
NAMES = SimpleNamespace(**runpy.run_path(str(PACKAGE / "names.py")))


def _zig() -> Compiler | None:
    if importlib.util.find_spec("ziglang") is None:
        return None
    zig = (sys.executable, "-m", "ziglang")
    # Linked as C: zig would build its C++ library first, and nothing here needs it.
    return Compiler((*zig, "c++"), (*zig, "cc"), True)


def _works(compiler: Compiler) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.cpp"
        probe.write_text(PROBE, encoding="ascii")
        done = subprocess.run([*compiler.compile, "-std=c++17", "-Wno-psabi", "-c", str(probe),
                               "-o", str(probe.with_suffix(".o"))], capture_output=True)
        return done.returncode == 0


def find_compiler() -> Compiler | None:
    """The first compiler that compiles vector extensions; None where there is none.

    Raises:
        BuildError: CXX names one that does not.
    """
    named = os.environ.get("CXX", "")
    try:
        given = shlex.split(named)
    except ValueError:
        given = [named]
    for command in ([given] if given else [["c++"], ["g++"], ["clang++"]]):
        if shutil.which(command[0]):
            zig = command[-1] == "c++" and "zig" in " ".join(command)
            link = (*command[:-1], "cc") if zig else tuple(command)
            found = Compiler(tuple(command), link, zig)
            if _works(found):
                return found
    if given:
        raise BuildError(f"CXX={named} is no C++17 compiler with vector extensions; correct it or "
                         "unset it")
    zig_here = _zig()
    return zig_here if zig_here is not None and _works(zig_here) else None


def _processor_flags(level: str, compiler: Compiler) -> list[str]:
    if level.startswith("here-"):
        arm = platform.machine().lower() in ("arm64", "aarch64")
        return ["-mcpu=native" if arm or compiler.zig else "-march=native"]
    if level == "any":
        return []
    return [f"-mcpu={level.replace('-', '_')}" if compiler.zig else f"-march={level}"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        text = shlex.join(command)
        raise BuildError(f"the compiler failed: {text if len(text) < 500 else text[:500] + ' ...'}")
    if done.stderr.strip():
        sys.stderr.write(done.stderr)


def _version(compiler: Compiler) -> str:
    return subprocess.run([*compiler.compile, "--version"], capture_output=True, text=True,
                          errors="replace", check=False).stdout


def _object(source: Path, headers: bytes, command: list[str], key: str, cache: Path) -> Path:
    """The object of a source, compiled unless there is one of the same text, command and key."""
    digest = hashlib.sha256(headers + source.read_bytes() + "\0".join([*command, key]).encode())
    path = cache / f"{source.stem}-{digest.hexdigest()[:16]}.o"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.part.o")
        _run([*command, "-c", str(source), "-o", str(part)])
        part.replace(path)
    return path


def build(level: str, compiler: Compiler, out: Path, *, extra: tuple[str, ...] = (),
          target: str = "", cache: Path = CACHE, beside: Path | None = None,
          name: str = "") -> Path:
    """Builds the library for a level of the instruction set, or this machine; returns its path.

    Args:
        target: of a cross compiler, as zig names it.
        beside: a folder of further sources, of a library of this name.

    Raises:
        BuildError: the compiler fails.
    """
    cache.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    own = [*extra, *(["-target", target] if target else []), *_processor_flags(level, compiler)]
    headers = _headers(SOURCES)
    command = [*compiler.compile, *FLAGS, *own]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # "native" names no processor and a command no version: both are in the level and the key.
        key = f"{level} {_version(compiler)}"
        objects = list(pool.map(lambda source: _object(source, headers, command, key, cache),
                                sorted(SOURCES.glob("*.cpp"))))
        if beside is not None:
            headers += _headers(beside)
            objects += [_object(source, headers, command, key, cache)
                        for source in sorted(beside.glob("*.cpp"))]
    path = out / (name or NAMES.built_name(NAMES.source_hash(SOURCES), level))
    part = path.with_name(f"part-{os.getpid()}-{path.name}")
    linker = [] if sys.platform in ("win32", "darwin") and not target else ["-Wl,--as-needed"]
    linker += [] if extra else ["-s"]  # without the symbols of debuggers
    _run([*compiler.link, "-shared", *own, *linker, *map(str, objects), "-lm", "-lpthread", "-o",
          str(part)])
    _keep(part, path)
    return path


def _headers(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.h")))


def _keep(part: Path, path: Path) -> None:
    """Gives a library its name once it is on the disk, and says which bytes it has."""
    text = hashlib.sha256(part.read_bytes()).hexdigest()
    note = part.with_name(f"part-{os.getpid()}-{NAMES.sum_of(path).name}")
    note.write_text(text, encoding="ascii")
    for written in (part, note):
        with written.open("rb") as file:
            os.fsync(file.fileno())
    part.replace(path)
    note.replace(NAMES.sum_of(path))


def _needed(compiler: Compiler | None) -> Compiler:
    if compiler is None:
        raise BuildError(NO_COMPILER)
    return compiler


def _path_here(out: Path) -> Path:
    level = f"here-{NAMES.processor_hash()}"
    return out / NAMES.built_name(NAMES.source_hash(SOURCES), level)


def is_built() -> bool:
    """Is there a library of these sources, for this very machine?"""
    return NAMES.is_whole(_path_here(PACKAGE / "built"))


def build_here(out: Path = PACKAGE / "built", extra: tuple[str, ...] = ()) -> Path:
    """Builds the library for this very machine unless it is there; returns its path.

    Raises:
        BuildError: there is no compiler, or it fails.
    """
    path = _path_here(out)
    if not NAMES.is_whole(path) or extra:
        build(f"here-{NAMES.processor_hash()}", _needed(find_compiler()), out, extra=extra)
        for other in out.glob("kernels-*"):  # of sources that nothing loads any more
            if NAMES.source_hash(SOURCES) not in other.name:
                other.unlink(missing_ok=True)
    return path


def build_probes(out: Path = CACHE, extra: tuple[str, ...] = ()) -> Path:
    """Builds the library of the tests for this very machine unless it is there; returns its path.

    Raises:
        BuildError: there is no compiler, or it fails.
    """
    level = f"here-{NAMES.processor_hash()}"
    name = NAMES.built_name(NAMES.source_hash(SOURCES), level).replace(
        "kernels", f"probes-{NAMES.source_hash(PROBES)}")
    if not NAMES.is_whole(out / name) or extra:
        build(level, _needed(find_compiler()), out, extra=extra, beside=PROBES, name=name)
    return out / name


def build_levels(out: Path, target: str = "") -> list[Path]:
    """Builds the library for every level of the instruction set of a target, as zig names it, or
    of machines like this one; returns the paths.

    Raises:
        BuildError: there is no compiler, or it fails.
    """
    compiler = _needed(_zig() if target else find_compiler())
    machine = target.partition("-")[0] or platform.machine()
    # Elsewhere than on Linux nothing tells which instructions a processor has.
    known = machine.lower() in ("x86_64", "amd64") and (
        "linux" in target if target else sys.platform == "linux")
    return [build(level, compiler, out, target=target)
            for level in [*(NAMES.LEVELS if known else ()), "any"]]


def wheel_platform(target: str) -> str:
    """A wheel's tag of a platform: of a target with a version of glibc, or of this machine."""
    if not target:
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    machine, system, libc = target.split("-")
    if system != "linux":
        raise ValueError(f"FIREBREAK_WHEEL={target}: expected a target of Linux, such as "
                         "x86_64-linux-gnu.2.28")
    return f"manylinux_{libc.removeprefix('gnu.').replace('.', '_')}_{machine}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", action="store_true", help="every level of the instruction set")
    parser.add_argument("--target", default="", help="of a cross compiler, as zig names it")
    parser.add_argument("--sanitize", default="", help="sanitizers, for the tests of memory safety")
    parser.add_argument("--out", type=Path, default=PACKAGE / "built", help="folder")
    own = parser.parse_args()
    if own.sanitize and own.out == PACKAGE / "built":
        parser.error("--sanitize needs --out: the package's own library stays as it is")
    extra = (f"-fsanitize={own.sanitize}", "-g", "-fno-omit-frame-pointer") if own.sanitize else ()
    try:
        for path in (build_levels(own.out, own.target) if own.levels or own.target
                     else [build_here(own.out, extra)]):
            print(path)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 3
    except OSError as error:
        print(f"the library cannot be written ({error}); choose another folder with --out",
              file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
