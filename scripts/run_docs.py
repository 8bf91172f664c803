"""Runs every fenced command of the README and the documentation in a fresh clone.

    python scripts/run_docs.py [FILES] [--long] [--setup | --here]

A fence says what is in it: `sh` and `python` are run, `sh long` only with --long, `sh skip: reason`
never; other kinds are not code to run. With --setup the clone sets itself up, as a new user's does;
else this interpreter runs it. With --here there is no clone but a folder of links to this checkout,
with its environment and its native library. Files that the pages speak of (my_landscape.tif,
station.csv, ...) are made first. Ends with 1 if a command failed.
"""

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "docs")
KINDS = ("sh", "python", "toml", "text", "{toctree}", "{admonition}", "{eval-rst}")
MOST_S = 900.0
READY_S = 300.0
TINY = ("landscapes.size=10", "train.episodes=16", "evaluation.every_episodes=8",
        "train.learning_starts=24", "evaluation.test_landscapes=2", "evaluation.test_fires=20")


class Block(NamedTuple):
    """A fenced block. kind: first word after the fence; about: the rest of that line."""

    page: Path
    line: int
    kind: str
    about: str
    text: str


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page."""
    found, start, lines = [], None, page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
        else:
            kind, _, about = lines[start - 1].removeprefix("```").strip().partition(" ")
            found.append(Block(page, start, kind, about, "\n".join(lines[start:number - 1])))
            start = None
    return found


def pages(names: list[str]) -> list[Path]:
    """Markdown files by name, or those in folders; pages of the API have no commands."""
    return [path for name in names for path in
            (sorted((ROOT / name).glob("*.md")) if (ROOT / name).is_dir() else [ROOT / name])]


def commands(block: Block) -> list[str]:
    """A shell block's commands, comments taken off; a backslash at a line's end continues it."""
    whole = re.sub(r"\\\n\s*", "", block.text)
    return [line for line in (re.sub(r"\s+#.*$", "", row).strip()
                              for row in whole.splitlines()) if line]


def command_line(text: str, setup: bool) -> list[str]:
    """The words of a command, with what runs them."""
    words = shlex.split(text)
    own = [sys.executable, "-m", "firebreak"]
    if words[0] == "firebreak":
        return [sys.executable, "scripts/run.py", *words[1:]] if setup else [*own, *words[1:]]
    if words[:2] == ["python3", "scripts/run.py"] and not setup:
        return [sys.executable, "-m", "pytest", "-q"] if words[2] == "test" else [*own, *words[2:]]
    return [sys.executable if words[0] in ("python", "python3") else words[0], *words[1:]]


def copied(here: bool, folder: Path) -> tuple[Path, Path]:
    """(where the commands run, the sources that they run): a clone, or links to this checkout."""
    clone = folder / "firebreak"
    if not here:
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        return clone, clone / "src"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], check=True, text=True,
                            capture_output=True).stdout
    clone.mkdir()
    for name in {line.partition("/")[0] for line in listed.splitlines()} - {"outputs"}:
        (clone / name).symlink_to(ROOT / name)
    return clone, ROOT / "src"


def prepare(clone: Path, setup: bool, env: dict[str, str]) -> None:
    """The files that the pages speak of."""
    rows = [f"2024-07-{day:02d} {hour:02d}:00,{8 + hour % 12},{200 + 5 * day},"
            f"{15 + hour % 14},{60 - 2 * (hour % 18)},0" for day in range(1, 13)
            for hour in range(24)]
    (clone / "station.csv").write_text("\n".join(["datetime,WS,WD,TMP,RH,APCP", *rows]) + "\n")
    rose = next(b for b in blocks(ROOT / "docs" / "weather.md") if b.kind == "toml")
    (clone / "rose.toml").write_text(rose.text + "\n")
    # Near the middle of small.tif, where fuel burns on.
    (clone / "my_start.csv").write_text("row,col\n" + "".join(
        f"{row},{col}\n" for row in range(27, 33) for col in range(27, 33)))
    (clone / "my_houses.csv").write_text("row,col\n" + "".join(
        f"{20 + k % 30},{30 + k // 2}\n" for k in range(60)))
    changes = " ".join(f"--set {change}" for change in TINY)
    for text in ("firebreak landscape generate my_landscape.tif --seed 1 --size 272",
                 "firebreak landscape generate small.tif --seed 2 --size 60",
                 "firebreak landscape convert small.tif --to ascii --out my_cell2fire_folder",
                 "firebreak simulate small.tif --fires 1 --ignitions my_start.csv --out past_fire",
                 f"firebreak train quick --out RUN --quiet {changes}"):
        subprocess.run(command_line(text, setup), cwd=clone, env=env, check=True,
                       stdout=subprocess.DEVNULL)
    _past_fire(clone)
    (clone / "PATH").symlink_to(clone / "my_landscape.tif")


def _past_fire(clone: Path) -> None:
    """A fire to compare with: where it burned, and where it began."""
    import rasterio  # where the checks run it is there; the set-up of this script has no need of it

    (clone / "my_perimeter.tif").symlink_to(clone / "past_fire" / "burn_probability.tif")
    with rasterio.open(clone / "past_fire" / "mean_arrival_time_min.tif") as file:
        time = file.read(1, masked=True)
    row, col = divmod(int(time.argmin()), time.shape[1])
    (clone / "my_start.csv").write_text(f"row,col\n{row},{col}\n")


def served(words: list[str], clone: Path, env: dict[str, str]) -> int:
    """Starts a server, asks it for its page, ends it as Ctrl-C does; its exit code."""
    with subprocess.Popen([*words, "--port", "0"], cwd=clone, env=env, text=True,
                          stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:\d+/\S*", process.stdout.readline())
        try:
            if address is not None:
                with urllib.request.urlopen(address.group(), timeout=READY_S) as reply:
                    print(f"    {len(reply.read()):,} bytes")
                process.send_signal(signal.SIGINT)
            return process.wait(timeout=READY_S)
        finally:
            process.kill()  # a server that answers otherwise would be waited for without end


def _processor_s() -> float:
    """Processor seconds of commands that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def run_block(block: Block, clone: Path, setup: bool, env: dict[str, str],
              ran: set[tuple[str, ...]]) -> list[str]:
    """Runs a block, without commands that pages before it had; the commands that failed."""
    where = f"{block.page.relative_to(ROOT)}:{block.line}"
    texts = commands(block) if block.kind == "sh" else ["(python)"]
    failed = []
    for text in texts:
        print(f"  {where}: {text}", flush=True)
        words = [sys.executable, "-c", block.text] if block.kind == "python" else (
            command_line(text, setup))
        if tuple(words) in ran:
            print("    ran above", flush=True)
            continue
        ran.add(tuple(words))
        began, busy = time.perf_counter(), _processor_s()
        try:
            code = served(words, clone, env) if "--serve" in words else subprocess.run(
                words, cwd=clone, env=env, timeout=MOST_S, stdout=subprocess.DEVNULL).returncode
        except (subprocess.TimeoutExpired, OSError) as error:
            code, text = -1, f"{text} ({error})"
        print(f"    exit {code}, {time.perf_counter() - began:.1f} s, of the processor "
              f"{_processor_s() - busy:.1f} s", flush=True)
        if code != 0:
            failed.append(f"{where}: {text}")
    return failed


def main() -> int:
    """Runs what was asked for; 0 if all went well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", default=list(PAGES))
    parser.add_argument("--long", action="store_true", help="also what takes minutes")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--setup", action="store_true", help="let the clone set itself up")
    how.add_argument("--here", action="store_true", help="run this checkout, not a clone")
    given = parser.parse_args()
    # Where a shell that runs this in the background ignores Ctrl-C, what is started here shall not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed: list[str] = []
    ran: set[tuple[str, ...]] = set()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        clone, sources = copied(given.here, Path(folder))
        env = {**os.environ, "PYTHONPATH": str(sources)}
        prepare(clone, given.setup, env)
        for page in pages(given.files):
            for block in blocks(page):
                runs = block.kind in ("sh", "python") and (
                    not block.about or (block.about == "long" and given.long))
                if runs:
                    failed += run_block(block, clone, given.setup, env, ran)
    minutes = (time.perf_counter() - began) / 60.0
    print("\n".join(["failed:", *failed]) if failed else f"all commands ran, {minutes:.1f} min")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
