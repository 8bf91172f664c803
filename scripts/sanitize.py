"""Run tests of the native library under sanitizers; needs g++ with its sanitizers, on Linux.

    python scripts/sanitize.py            properties, contracts and the boundary, some 4 minutes
    python scripts/sanitize.py --all      all tests of fires, slow ones too
    python scripts/sanitize.py --thread   recorded calls on four threads, under its sanitizer;
                                          and with the bits of every level of the instruction set

Addresses and undefined behaviour are watched in Python with the library preloaded, without PyTorch.
Python allocates memory that it never frees, so leaks are not looked for. Suppressions: none.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from build_native import BuildError, build_here, build_probes

ROOT = Path(__file__).resolve().parent.parent
SOME = ("tests/unit/native_library", "tests/unit/planning/barriers/test_cut.py",
        "tests/unit/fire/incremental", "tests/unit/fire/solver",
        "tests/unit/fire/travel", *(str(path.relative_to(ROOT)) for path in sorted(
            (ROOT / "tests" / "property").glob("test_native_boundary*.py"))),
        "tests/property/test_break_rules.py", "tests/property/test_crews.py",
        "tests/property/test_statistics.py", "tests/property/test_engine_properties.py")
MORE = ("tests/unit/fire", "tests/property/test_engine_symmetry.py",
        "tests/property/test_engine_boundary.py", "tests/contract/test_closed_forms.py")


def preloaded() -> str:
    """The sanitizers' own libraries, which must be loaded before all others."""
    found = [subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True,
                            check=True).stdout.strip() for name in ("libasan.so", "libubsan.so")]
    missing = [path for path in found if not os.path.isabs(path)]
    if missing:
        raise SystemExit(f"g++ has no {' and no '.join(missing)}; install its sanitizers")
    return ":".join(found)


def watch_memory(tests: tuple[str, ...], slow: bool) -> int:
    """Runs tests with a library that watches addresses and undefined behaviour."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
                 "-g", "-O1", "-fno-omit-frame-pointer")
        build_here(Path(folder), flags)
        build_probes(Path(folder), flags)
        env = os.environ | {
            "FIREBREAK_NATIVE": folder, "LD_PRELOAD": preloaded(), "FIREBREAK_THREADS": "2",
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "PYTHONPATH": str(ROOT / "src"),
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1", "HYPOTHESIS_PROFILE": "default"}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n0", "--noconftest", "-o", "pythonpath=tests",
             "-o", "timeout=1200", "-p", "no:cacheprovider",
             *(["-m", "slow or not slow"] if slow else []), *tests],
            cwd=ROOT, env=env, check=False).returncode


def watch_threads() -> int:
    """Plays recorded calls on four threads with a program that watches races, and compares their
    bits at every level of the instruction set.
    """
    script = str(ROOT / "scripts" / "native_calls.py")
    with tempfile.TemporaryDirectory() as folder:
        calls = str(Path(folder, "calls"))
        subprocess.run([sys.executable, script, "record", calls], cwd=ROOT, check=True,
                       env=os.environ | {"FIREBREAK_THREADS": "4"})
        return max(subprocess.run([sys.executable, script, "replay", calls, *how], cwd=ROOT,
                                  check=False).returncode
                   for how in (("--sanitize", "thread", "--threads", "4"), ("--levels",)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="all tests of fires")
    parser.add_argument("--thread", action="store_true", help="races between threads instead")
    own = parser.parse_args()
    try:
        return watch_threads() if own.thread else watch_memory(SOME + MORE * own.all, own.all)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
