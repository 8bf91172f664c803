"""Set firebreak up on first use, then run it. Needs Python 3.11 or newer and nothing else.

    python3 scripts/run.py train        train a policy with the quick preset
    python3 scripts/run.py test         run the test suite, in up to four processes
    python3 scripts/run.py setup        only the set-up
    python3 scripts/run.py VERB ...     any firebreak command: plan, evaluate, simulate, ...

Everything after the verb is passed on. The set-up lives in .venv, takes one to two minutes, and
is done again when pyproject.toml, constraints.txt, the Python version or FIREBREAK_TORCH change,
or when it was killed half-way. The native library, which burns fires, is built again when its
sources or the processor change; a machine without a C++ compiler gets one from the package index.

FIREBREAK_TORCH chooses the PyTorch build; keep it set, for a change rebuilds .venv.
    (not set)   on Linux a wheel this machine already has; else the CPU build, or pip's default
                index (the CUDA build) where nvidia-smi is found. Elsewhere pip's default index.
    cpu         never the CUDA build of pip's default index on Linux.
    cuda        the CUDA build, several GB, Linux only. Not tested.
"""

from __future__ import annotations  # so that an old Python gets as far as the sentence in main

import hashlib
import os
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(__file__).resolve().with_name("build_native.py")
VENV = ROOT / ".venv"
STAMP = VENV / ".firebreak-setup"  # written last, so a killed set-up has none
OLDEST_PYTHON = (3, 11)
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
BAD_INPUT, SETUP_FAILED, INTERRUPTED = 2, 3, 130


class UsageError(Exception):
    """The user asked for something that cannot be done; the text is one sentence."""


class SetupError(Exception):
    """The set-up failed; the text is one sentence."""


def check_python(version: tuple[int, int]) -> None:
    if version < OLDEST_PYTHON:
        needed, given = (".".join(map(str, pair)) for pair in (OLDEST_PYTHON, version))
        raise UsageError(f"firebreak needs Python {needed} or newer and this is Python {given}; "
                         f"run it with a newer one, such as python{needed} scripts/run.py")


def check_torch_choice(choice: str, linux: bool) -> str:
    if choice not in ("", "cpu", "cuda"):
        raise UsageError(f"FIREBREAK_TORCH is '{choice}', expected cpu or cuda; "
                         "correct it or unset it")
    if choice == "cuda" and not linux:
        raise UsageError("FIREBREAK_TORCH=cuda works on Linux only; unset it")
    return choice


def setup_key(pyproject: str, constraints: str, python: str, choice: str, root: str) -> str:
    """State that a finished set-up depends on. The folder is in it because the package is installed
    in place: a copied .venv would silently run the code of the folder it was copied from."""
    return hashlib.sha256("\0".join((pyproject, constraints, python, choice, root))
                          .encode()).hexdigest()


def pinned_version(package: str, constraints: str) -> str:
    for line in constraints.splitlines():
        name, _, version = line.strip().partition("==")
        if name == package and version:
            return version
    raise SetupError(f"constraints.txt does not pin {package}; restore the file")


def torch_attempts(version: str, choice: str, linux: bool,
                   nvidia: bool) -> list[tuple[str, list[str]]]:
    """(where from, pip arguments), to be tried in this order."""
    pin = f"torch=={version}"
    local = ("a wheel this machine already has", ["--no-index", pin])
    cpu = ("PyTorch's CPU index", ["--retries", "1", "--timeout", "15", "--index-url",
                                   TORCH_CPU_INDEX, pin])
    default = ("pip's default index", [pin])
    if choice == "cuda":
        # `==` would also accept a local CPU wheel (2.13.0+cpu), `===` does not.
        return [("pip's default index, CUDA build", [f"torch==={version}"])]
    if not linux:
        return [default]
    if choice == "cpu":
        return [local, cpu]
    return [local, default] if nvidia else [local, cpu, default]


def child_command(python: str, verb: str, args: list[str]) -> list[str]:
    if verb == "test":
        # A part of the suite is done sooner without starting processes for it.
        return [python, "-m", "pytest", *(args or [
            "-n", "auto", "--maxprocesses", "4", "--dist", "worksteal"])]
    if verb == "train" and not args:
        args = ["quick"]
    return [python, "-m", "firebreak", verb, *args]


def venv_python() -> Path:
    return VENV / "Scripts" / "python.exe" if os.name == "nt" else VENV / "bin" / "python"


def say(text: str) -> None:
    print(f"firebreak: {text}", file=sys.stderr, flush=True)


def lock_setup() -> int | None:
    """Wait until no other set-up works on this folder. pip inherits the lock, so what a killed
    set-up left running is waited for as well. None where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    handle = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another set-up is running in this folder, waiting for it")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        os.close(handle)
        return None
    return handle


def pip_install(args: list[str], lock: int | None) -> str | None:
    """None if it worked, else pip's own last complaint."""
    done = subprocess.run(
        [str(venv_python()), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *args],
        cwd=ROOT, capture_output=True, text=True, errors="replace",
        pass_fds=() if lock is None else (lock,))
    if done.returncode == 0:
        return None
    complaints = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    return (complaints or ["no reason given"])[-1].removeprefix("ERROR:").strip().rstrip(".")


def make_venv(lock: int | None) -> None:
    # The base interpreter, because this script may itself run from the .venv that is replaced.
    python = getattr(sys, "_base_executable", None) or sys.executable
    done = subprocess.run([python, "-m", "venv", "--clear", str(VENV)], capture_output=True,
                          pass_fds=() if lock is None else (lock,))
    if done.returncode != 0:
        raise SetupError("could not make .venv, Python's venv or ensurepip module is missing or "
                         "the folder is not writable; install it (Debian and Ubuntu: "
                         "apt install python3-venv) and run this again")


def install_torch(constraints: str, choice: str, lock: int | None) -> None:
    """Install it by itself and before the rest, so that no resolver chooses the build."""
    attempts = torch_attempts(pinned_version("torch", constraints), choice,
                              sys.platform == "linux", shutil.which("nvidia-smi") is not None)
    complaint: str | None = None
    for source, args in attempts:
        say(f"installing PyTorch from {source}")
        complaint = pip_install(["--no-deps", *args], lock)
        if complaint is None:
            return
    raise SetupError(f"could not install PyTorch, pip said '{complaint}'; "
                     "check the network and run this again")


def fetch_compiler(lock: int | None) -> None:
    """Gets a compiler from the package index where the machine has none for the native library."""
    own = native_build()
    try:
        if own.find_compiler() is not None:
            return
    except own.BuildError as error:
        raise SetupError(str(error)) from None
    say("this machine has no C++ compiler with vector extensions: fetching one, 100 MB (ziglang)")
    complaint = pip_install([own.ZIG], lock)
    if complaint is not None:
        raise SetupError(f"could not install a compiler, pip said '{complaint}'; install g++ 12 or "
                         "clang and run this again")
    # By its own path: pip builds where the packages of .venv cannot be imported.
    found = subprocess.run([str(venv_python()), "-c", "import ziglang; print(ziglang.__path__[0])"],
                           capture_output=True, text=True, check=True)
    os.environ["CXX"] = shlex.join([str(Path(found.stdout.strip(), "zig")), "c++"])


def native_build() -> SimpleNamespace:
    """The functions of build_native.py."""
    return SimpleNamespace(**runpy.run_path(str(BUILD)))


def build_native() -> None:
    """Builds the native library again where its sources or the processor have changed."""
    own = native_build()
    if own.is_built():
        return
    lock = lock_setup()
    try:
        if own.is_built():  # by the one that was waited for
            return
        say("building the native library, which takes some seconds")
        done = subprocess.run([str(venv_python()), str(BUILD)], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise SetupError("could not build the native library, see above; correct it and run "
                             "this again")
    finally:
        if lock is not None:
            os.close(lock)


def set_up() -> None:
    choice = check_torch_choice(os.environ.get("FIREBREAK_TORCH", ""), sys.platform == "linux")
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    key = setup_key((ROOT / "pyproject.toml").read_text(encoding="utf-8"), constraints,
                    sys.version, choice, str(ROOT))

    def is_done() -> bool:
        return venv_python().is_file() and STAMP.is_file() and STAMP.read_text() == key

    if is_done():
        return
    lock = lock_setup()
    try:
        if is_done():  # by the set-up that was waited for
            return
        start = time.monotonic()
        say("setting up .venv, once; this takes one to two minutes")
        STAMP.unlink(missing_ok=True)
        make_venv(lock)
        install_torch(constraints, choice, lock)
        fetch_compiler(lock)
        say("installing firebreak and everything else it needs")
        complaint = pip_install(["-c", "constraints.txt", "-e", ".[dev]"], lock)
        if complaint is not None:
            raise SetupError(f"could not install firebreak, pip said '{complaint}'; "
                             "check the network and run this again")
        STAMP.write_text(key)
        say(f"set-up finished in {time.monotonic() - start:.0f} s")
    finally:
        if lock is not None:
            os.close(lock)


def start(command: list[str]) -> int:
    """Become the command, so that signals and exit codes are its own."""
    if os.name == "posix":
        os.execv(command[0], command)
    signal.signal(signal.SIGINT, lambda *_: None)  # the child gets it too, and saves
    return subprocess.run(command).returncode


def main(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if argv else BAD_INPUT
    try:
        check_python(sys.version_info[:2])
        set_up()
        build_native()
    except UsageError as error:
        say(str(error))
        return BAD_INPUT
    except SetupError as error:
        say(str(error))
        return SETUP_FAILED
    except OSError as error:
        say(f"the set-up failed with '{error}'; correct it and run this again")
        return SETUP_FAILED
    except KeyboardInterrupt:
        say("stopped during the set-up; the next run starts it again")
        return INTERRUPTED
    verb, *args = argv
    if verb == "setup":
        return 0
    if verb == "test":
        os.chdir(ROOT)
    return start(child_command(str(venv_python()), verb, args))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
