# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""The command `firebreak` as a process of its own: where it is, how it is started, what it says.

Nothing here needs QGIS.
"""

import os
import queue
import re
import shutil
import subprocess
import threading
from pathlib import Path

NAMES = ("bin/firebreak", "Scripts/firebreak.exe", "firebreak", "firebreak.exe")
"""Where an environment's folder holds the command."""
FOREIGN = ("PYTHONHOME", "PYTHONPATH", "PYTHONEXECUTABLE", "GDAL_DATA", "GDAL_DRIVER_PATH",
           "PROJ_LIB", "PROJ_DATA")
"""What QGIS sets for its own Python and GDAL, and other ones must not see."""
SHARE = re.compile(r": (\d+)% in ")
POLL_S = 0.2


class CommandError(Exception):
    """The command is not there, or it ended with an error: one sentence to show."""


def find_command(setting):
    """The path of the command: of a file or of an environment's folder, else of the PATH.

    Raises:
        CommandError: it is not there.
    """
    given = (setting or os.environ.get("FIREBREAK_COMMAND") or "").strip()
    if not given:
        found = shutil.which("firebreak")
        if found:
            return found
        raise CommandError("The command firebreak is not on the PATH: name its environment in "
                           "Settings > Options > Processing > Providers > firebreak.")
    path = Path(given).expanduser()
    candidates = [path / name for name in NAMES] if path.is_dir() else [path]
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate)
    raise CommandError(f"There is no command firebreak at {path}: name an environment in which "
                       "firebreak-planner is installed, or the command itself.")


def own_environment():
    """The variables for the command: without what QGIS sets for itself."""
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}


def run(words, say, progress, cancelled):
    """Runs the command to its end; returns what it printed on standard output.

    Args:
        words: the command and its arguments.
        say: takes each line as it comes.
        progress: takes the share that is done, in percent.
        cancelled: says whether to stop.

    Raises:
        CommandError: it could not be started, was stopped, or ended with an error.
    """
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=own_environment(), text=True,
                                   encoding="utf-8", errors="replace", creationflags=hidden)
    except OSError as error:
        raise CommandError(f"{words[0]} cannot be started: {error.strerror}.") from error
    lines = queue.Queue()
    readers = [threading.Thread(target=_read, args=(stream, name, lines), daemon=True)
               for name, stream in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    printed, told, stopped = [], [], False
    while process.poll() is None or any(reader.is_alive() for reader in readers) or lines.qsize():
        if cancelled() and not stopped:
            stopped = True
            process.terminate()
        try:
            name, line = lines.get(timeout=POLL_S)
        except queue.Empty:
            continue
        (printed if name == "out" else told).append(line)
        say(line)
        share = SHARE.search(line)
        if name == "err" and share:
            progress(float(share.group(1)))
    if stopped:
        raise CommandError("Stopped.")
    if process.returncode != 0:
        last = next((line for line in reversed(told) if line.strip()), "no message")
        raise CommandError(f"firebreak ended with code {process.returncode}: {last}")
    return "\n".join(printed)


def _read(stream, name, lines):
    for line in stream:
        lines.put((name, line.rstrip("\n")))
    stream.close()
