"""Builds the image of the Containerfile and runs it; where there is no builder, runs its steps.

    python scripts/container_steps.py FOLDER

Where neither podman nor docker runs, each stage gets a new environment of this Python in FOLDER;
what the Containerfile puts into /source, /dist and /data lies in FOLDER/STAGE instead. That shows
that the steps lead to a program that runs; it does not show that the base image has what they need.
Where TORCH_INDEX cannot be reached, torch is a wheel that pip finds elsewhere.
Ends with 1 if a step fails.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "Containerfile"
PLACES = ("/source", "/dist", "/data")
TRIAL = ("plan", "sample:santa-ana", "--method", "dqn", "--test-fires", "0", "--out", "my_plan")


class Step(NamedTuple):
    """A line of the Containerfile: RUN, COPY, ... and what follows."""

    word: str
    rest: str


def stages(text: str) -> dict[str, list[Step]]:
    """The steps of each stage by its name; the last one is "final"."""
    found: dict[str, list[Step]] = {}
    joined = re.sub(r"\\\n", " ", text)
    for line in joined.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            name = rest.partition(" AS ")[2] or "final"
            found[name] = []
        elif found:  # what stands before the first stage is the base image's
            found[name].append(Step(word, rest.strip()))
    return found


def run_stage(name: str, steps: list[Step], folder: Path) -> dict[str, str]:
    """Runs a stage's steps in its own environment; the variables that it leaves."""
    root = folder / name
    venv.create(root / "env", with_pip=True)
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    env["PATH"] = f"{root / 'env' / 'bin'}{os.pathsep}{env['PATH']}"
    env |= {"PIP_RETRIES": "0", "PIP_TIMEOUT": "5", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    place = root
    for step in steps:
        print(f"{name}: {step.word} {step.rest}", flush=True)
        if step.word == "WORKDIR":
            place = Path(_placed(step.rest, root))
            place.mkdir(parents=True, exist_ok=True)
        elif step.word in ("ARG", "ENV"):
            key, _, value = step.rest.partition("=")
            env[key] = os.environ.get(key, _placed(value, root))
        elif step.word == "COPY":
            _copy(step.rest, root, place, folder)
        elif step.word == "RUN" and step.rest.startswith("apt-get"):
            print(f"{name}: left to the image: this machine has its own packages", flush=True)
        elif step.word == "RUN":
            subprocess.run(["bash", "-ec", _placed(step.rest, root)], cwd=place, env=env,
                           check=True)
        elif step.word not in ("ENTRYPOINT", "CMD"):
            raise SystemExit(f"{FILE.name}: {step.word} is not known here")
    return env


def _placed(text: str, root: Path) -> str:
    """A text with the image's folders as those of a stage."""
    return re.sub(rf"(?<![\w.])({'|'.join(PLACES)})\b", lambda found: f"{root}{found[0]}", text)


def _copy(rest: str, root: Path, place: Path, folder: Path) -> None:
    words = shlex.split(rest)
    stage = words.pop(0).partition("=")[2] if words[0].startswith("--from") else None
    source, target = words
    here = ROOT / source if stage is None else Path(_placed(source, folder / stage))
    there = place / target if not target.startswith("/") else Path(_placed(target, root))
    if here == ROOT / ".":
        for name in _tracked():
            (there / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, there / name)
    elif here.is_dir():
        shutil.copytree(here, there, dirs_exist_ok=True)
    else:
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(here, there)


def _tracked() -> list[str]:
    """Files of a clone, as far as they are still there."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).is_file()]


def builder() -> str | None:
    """The program that builds images here; None where there is none, or its service is down."""
    for name in ("podman", "docker"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True,
                                                 check=False).returncode == 0:
            return name
    return None


def main() -> int:
    """Builds or runs the steps, and plans with what came of it."""
    folder = Path(sys.argv[1]).resolve()
    program = builder()
    try:
        if program is not None:
            subprocess.run([program, "build", "-t", "firebreak", "-f", str(FILE), str(ROOT)],
                           check=True)
            subprocess.run([program, "run", "--rm", "-v", f"{folder}:/data", "firebreak", *TRIAL],
                           check=True)
        else:
            env: dict[str, str] = {}
            for name, steps in stages(FILE.read_text(encoding="utf-8")).items():
                env = run_stage(name, steps, folder)
            installed = shutil.which("firebreak", path=env["PATH"].split(os.pathsep)[0])
            subprocess.run([installed or "firebreak", *TRIAL], cwd=folder / "final" / "data",
                           env=env, check=True)
    except subprocess.CalledProcessError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    print(f"ran: {' '.join(TRIAL)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
