"""Writes the locks of the container: what `pip install --require-hashes` takes, by SHA-256.

    python scripts/container_lock.py

Names and versions are what pip resolves under constraints.txt on Python 3.11, hashes those of the
wheels that its index gives for CPython 3.11 on Linux, x86_64 and aarch64. A wheel without a hash
is left out, and the file says so; so is torch, which has an index of its own.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "locks"
PYTHON = (3, 11)
MACHINES = ("x86_64", "aarch64")
GLIBC = ("2_28", "2_27", "2_24", "2_17")
"""Of the wheels that are taken, newest first; the base image has a newer one."""
_OF_TORCH = re.compile(r"(torch|triton|nvidia|cuda)\b")


class Pin(NamedTuple):
    """A package, its version and the SHA-256 of its wheels."""

    name: str
    version: str
    hashes: tuple[str, ...]


def main() -> int:
    """Writes both files."""
    if sys.version_info[:2] != PYTHON:
        print(f"the container has Python {'.'.join(map(str, PYTHON))}: run this with it",
              file=sys.stderr)
        return 2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    FOLDER.mkdir(exist_ok=True)
    for name, wanted in (("run", project["project"]["dependencies"]),
                         ("build", ["build", *project["build-system"]["requires"]])):
        pins = locked(wanted)
        (FOLDER / f"{name}.txt").write_text(written(name, pins), encoding="utf-8")
        print(f"locks/{name}.txt: {len(pins)} packages")
    return 0


def locked(wanted: list[str]) -> list[Pin]:
    """Requirements of `wanted`, without torch, each with the hashes of its wheels."""
    names = sorted((item["metadata"]["name"], item["metadata"]["version"])
                   for item in resolved([*wanted, "-c", str(ROOT / "constraints.txt")])
                   if not _OF_TORCH.match(item["metadata"]["name"]))
    hashes: dict[str, list[str]] = {name: [] for name, _ in names}
    for machine in MACHINES:
        platforms = [word for glibc in GLIBC for word in (
            "--platform", f"manylinux_{glibc}_{machine}")]
        for item in resolved(["--no-deps", "--only-binary", ":all:", "--python-version",
                              ".".join(map(str, PYTHON)), *platforms,
                              *(f"{name}=={version}" for name, version in names)]):
            found = item["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
            if found:
                hashes[item["metadata"]["name"]].append(found)
    return [Pin(name, version, tuple(sorted(set(hashes[name])))) for name, version in names]


def resolved(words: list[str]) -> list[dict[str, Any]]:
    """Packages that pip would install; nothing is installed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--dry-run",
                        "--ignore-installed", "--target", folder, "--report", str(report), *words],
                       check=True)
        found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
        return found


def written(name: str, pins: list[Pin]) -> str:
    """The lock as pip reads it."""
    without = [f"{pin.name} {pin.version}" for pin in pins if not pin.hashes]
    head = [f"# What the container has to {name} firebreak, with the SHA-256 of each wheel for",
            "# CPython 3.11 on Linux, x86_64 and aarch64; scripts/container_lock.py writes it.",
            "# torch is not here: it comes from an index of its own.",
            f"# Left out, because the index gives no hash: {', '.join(without) or 'nothing'}."]
    body = [" \\\n    ".join([f"{pin.name}=={pin.version}",
                              *(f"--hash=sha256:{one}" for one in pin.hashes)])
            for pin in pins if pin.hashes]
    return "\n".join([*head, *body, ""])


if __name__ == "__main__":
    sys.exit(main())
