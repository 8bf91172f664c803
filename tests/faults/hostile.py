"""Damage to files, and what it may do to whoever reads them; the readers are listed in `readers`.

A reader may give a result or one sentence (`InputError`). Anything else is a fault: another
exception, a crash of the interpreter, more than a few seconds, or memory without bound.
"""

import json
import os
import random
import resource
import signal
import struct
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import InputError

SECONDS_PER_FILE, WALL_SECONDS = 10, 120
"""Of the processor, and by the clock, where others may keep the machine busy."""
MEMORY_BYTES = 3_000_000_000
DRAWN = 0.005
"""Share of the files of readers that draw what they read."""
Step = tuple[str, float, int]
"""A kind of damage, where (share of the file), and a number that it uses."""


class Reader(NamedTuple):
    """files: those to damage, whole; read: what reads them, again and again; share: of the files
    of a long run, less than 1 where reading takes most of a second.
    """

    name: str
    files: list[Path]
    read: Callable[[], object]
    share: float = 1.0


def damaged(content: bytes, steps: list[Step]) -> bytes:
    """A file with some damage."""
    for kind, share, number in steps:
        content = _KINDS[kind](content, int(share * len(content)), number)
    return content


def drawn_steps(draw: random.Random) -> list[Step]:
    """One to four kinds of damage."""
    return [(draw.choice(STEPS), draw.random(), draw.getrandbits(32))
            for _ in range(draw.randint(1, 4))]


_ABSURD = [b"nan", b"-inf", b"1e308", b"-1", b"0", b"99999999999999999999", b"1" * 400, b"\x00",
           "é".encode(), b"\xff\xfe", b'"', b",,,", b"\n\n", b"[" * 300, b"{}", b"null", b"1e-320",
           b"0x10", b"../../x", b"-9999", b"true", b"2023-02-30 25:61", b";", b"\r", b" " * 50]
_SIZES = [0, 1, 2**7, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1]


def _word(content: bytes, at: int, number: int) -> bytes:
    """The word at a place is another one."""
    apart = b" ,;\n\t=:[]{}\""
    begin = max(content.rfind(bytes([c]), 0, at) for c in apart) + 1
    ends = [end for c in apart if (end := content.find(bytes([c]), at)) >= 0]
    return content[:begin] + _ABSURD[number % len(_ABSURD)] + content[min(ends, default=at):]


_KINDS: dict[str, Callable[[bytes, int, int], bytes]] = {
    "bit": lambda c, at, n: c[:at] + bytes([c[at] ^ 1 << n % 8]) + c[at + 1:] if at < len(c) else c,
    "byte": lambda c, at, n: c[:at] + bytes([n % 256]) + c[at + 1:],
    "cut": lambda c, at, n: c[:at],
    "hole": lambda c, at, n: c[:at] + c[at + n % 64:],
    "twice": lambda c, at, n: c[:at + n % 200] + c[at:],
    "insert": lambda c, at, n: c[:at] + _ABSURD[n % len(_ABSURD)] + c[at:],
    "word": _word,
    "size": lambda c, at, n: c[:at] + struct.pack("<I", _SIZES[n % len(_SIZES)]) + c[at + 4:],
    "line": lambda c, at, n: b"\n".join(random.Random(n).sample(
        lines := c.split(b"\n"), len(lines))) if len(c) < 100_000 else c,
    "noise": lambda c, at, n: c[:at] + random.Random(n).randbytes(16) + c[at + 16:]}
STEPS = sorted(_KINDS)


def outcome(reader: Reader) -> str | None:
    """None where the reader gave a result or one sentence; else what it did instead."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.read()
    except InputError as error:
        return "an error of several lines" if "\n" in str(error) else None
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        ours = [place for place in places if "firebreak" in place.filename] or places
        return f"{type(error).__name__} at {Path(ours[-1].filename).name}:{ours[-1].lineno}"
    return None


def fuzz(reader: Reader, steps: list[list[Step]]) -> dict[str, list[Any]]:
    """Damages a file of the reader by each list of steps in turn; faults, each with one cause."""
    whole = {path: path.read_bytes() for path in reader.files}
    found: dict[str, list[Any]] = {}
    for number, damage in enumerate(steps):
        path = reader.files[number % len(reader.files)]
        path.write_bytes(damaged(whole[path], damage))
        fault = outcome(reader)
        if fault is not None:
            found.setdefault(fault, [path.name, damage])
        path.write_bytes(whole[path])
    return found


def fuzz_apart(reader: Reader, count: int, seed: int, scratch: Path) -> dict[str, list[Any]]:
    """`fuzz` by `count` random damages in processes with bounded memory and time, so that a crash
    or a hang of one file is found too.
    """
    found: dict[str, list[Any]] = {}
    whole = {path: path.read_bytes() for path in reader.files}
    draw = random.Random(f"{reader.name}:{seed}")
    steps = [drawn_steps(draw) for _ in range(count)]
    place = scratch / "place"
    done = 0
    while done < count:
        pid = os.fork()
        if pid == 0:
            _work(reader, steps, done, place)
        _, status = os.waitpid(pid, 0)
        reached, faults = json.loads(place.read_text())
        for fault, example in faults.items():
            found.setdefault(fault, example)
        for path, content in whole.items():
            path.write_bytes(content)
        if reached < count:  # it did not come back from this one
            found.setdefault(f"the process ended with {os.waitstatus_to_exitcode(status)}",
                             [reader.files[reached % len(reader.files)].name, steps[reached]])
        done = reached + 1
    return found


def _work(reader: Reader, steps: list[list[Step]], begin: int, place: Path) -> None:
    held = resource.getrlimit(resource.RLIMIT_AS)[1]
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, held))
    for ending in (signal.SIGALRM, signal.SIGPROF):  # even inside a library
        signal.signal(ending, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    found: dict[str, list[Any]] = {}
    place.write_text(json.dumps([begin, found]))
    for number in range(begin, len(steps)):
        path = reader.files[number % len(reader.files)]
        whole = path.read_bytes()
        place.write_text(json.dumps([number, found]))
        signal.alarm(WALL_SECONDS)
        signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_FILE)
        path.write_bytes(damaged(whole, steps[number]))
        fault = outcome(reader)
        path.write_bytes(whole)
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        if fault is not None:
            found.setdefault(fault, [path.name, steps[number]])
    place.write_text(json.dumps([len(steps), found]))
    os._exit(0)
