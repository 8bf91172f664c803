# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""The command `firebreak` as a process of its own: where it is, how it is started, what it says.

Nothing here needs QGIS.
"""

import contextlib
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

NAMES = ("bin/firebreak", "Scripts/firebreak.exe", "firebreak", "firebreak.exe")
"""Where an environment's folder holds the command."""
FOREIGN = ("PYTHONHOME", "PYTHONPATH", "PYTHONEXECUTABLE", "GDAL_DATA", "GDAL_DRIVER_PATH",
           "PROJ_LIB", "PROJ_DATA")
"""What QGIS sets for its own Python and GDAL, and other ones must not see."""
SHARE = re.compile(r": (\d+)% in ")
POLL_S = 0.2
GRACE_S = 20.0
"""How long a command that is told to stop may take to save what it has."""
ON_WINDOWS = os.name == "nt"


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


def split_words(text):
    """Options in one line as words: quotation marks hold words together. A backslash is part of a
    path on Windows, elsewhere it takes the next sign as it is.

    Raises:
        CommandError: a quotation mark is not closed.
    """
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if ON_WINDOWS:
        lexer.escape = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise CommandError(f"The further options {text} cannot be read: a quotation mark is not "
                           "closed.") from error


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
    # What the command starts stays in its group, so that it is stopped with it.
    kind = ({"creationflags": subprocess.CREATE_NO_WINDOW} if ON_WINDOWS
            else {"start_new_session": True})
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=own_environment(), text=True,
                                   encoding="utf-8", errors="replace", **kind)
    except OSError as error:
        raise CommandError(f"{words[0]} cannot be started: {error.strerror}.") from error
    try:
        return _followed(process, say, progress, cancelled)
    finally:
        if process.poll() is None:
            _end(process, at_once=True)


def _followed(process, say, progress, cancelled):
    """Hands on what the command prints until it ends; returns its standard output."""
    lines = queue.Queue()
    readers = [threading.Thread(target=_read, args=(stream, name, lines), daemon=True)
               for name, stream in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    printed, told, told_to_stop = [], [], None
    while process.poll() is None or any(reader.is_alive() for reader in readers) or lines.qsize():
        if told_to_stop is None and cancelled():
            told_to_stop = time.monotonic()
            _end(process)
        elif told_to_stop is not None and time.monotonic() - told_to_stop > GRACE_S:
            _end(process, at_once=True)
            break
        try:
            name, line = lines.get(timeout=POLL_S)
        except queue.Empty:
            continue
        (printed if name == "out" else told).append(line)
        say(line)
        share = SHARE.search(line)
        if name == "err" and share:
            progress(float(share.group(1)))
    if told_to_stop is not None:
        raise CommandError("Stopped.")
    if process.returncode != 0:
        last = next((line for line in reversed(told) if line.strip()), "no message")
        raise CommandError(f"firebreak ended with code {process.returncode}: "
                           f"{last.removeprefix('firebreak: ')}")
    return "\n".join(printed)


def _end(process, at_once=False):
    """Tells the command and all that it started to stop, or ends them at once."""
    if ON_WINDOWS:  # it has no signal that asks
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       creationflags=subprocess.CREATE_NO_WINDOW)
        return
    with contextlib.suppress(ProcessLookupError):  # all of them have ended
        os.killpg(process.pid, signal.SIGKILL if at_once else signal.SIGTERM)
    if at_once:
        process.wait()


def _read(stream, name, lines):
    for line in stream:
        lines.put((name, line.rstrip("\n")))
    stream.close()
