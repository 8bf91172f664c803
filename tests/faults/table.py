"""The table of faults: what is injected, how often, what is found; kept as records and written into
`docs/reliability.md`.
"""

import importlib.util
import json
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from faults import (
    bits,
    configs,
    declared,
    disks,
    forged,
    hostile,
    kills,
    numbers,
    other_formats,
    structured,
    workers,
)
from faults.kills import Found
from faults.own_readers import own_readers
from faults.readers import readers

ROOT = Path(__file__).resolve().parents[2]
RECORDS, PAGE = ROOT / "docs" / "results" / "reliability.json", ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- table: scripts/fault_injection.py -->", "<!-- end -->"


class Row(NamedTuple):
    """inject: does it `count` times in a folder; many, few: counts of the long and short form."""

    fault: str
    aim: str
    inject: Callable[[Path, int], Found]
    many: int
    few: int


def _broken_configs(folder: Path, count: int) -> Found:
    files = list(configs.broken_files())[::max(1, -(-1700 // count))]
    bad = configs.unclear(folder / "config.toml", files)
    return Found(len(files), bad, f"{len(files) - len(bad):,} of {len(files):,}")


def _fuzzed(folder: Path, count: int) -> Found:
    """Reader by reader; what is done is kept in the folder, so that a run of hours can go on."""
    kept, place = folder / "fuzzed.json", Path(tempfile.mkdtemp(dir=folder))
    done: dict[str, Any] = json.loads(kept.read_text()) if kept.is_file() else {}
    for reader in every_reader(place):
        if reader.name in done:
            continue
        reader.read()  # the whole files
        files = math.ceil(count * reader.share)
        begin = time.perf_counter()
        found = hostile.fuzz_apart(reader, files, 0, place)
        done[reader.name] = {"files": files, "found": found}
        kept.write_text(json.dumps(done))
        print(f"  {reader.name}: {files:,} files in {time.perf_counter() - begin:.0f} s, {found}",
              file=sys.stderr, flush=True)
    bad = [f"{name}: {fault} {example}" for name, one in done.items()
           for fault, example in one["found"].items()]
    whole = sum(one["files"] == count for one in done.values())
    fewer = "".join(f", {one['files']:,} for {name}" for name, one in done.items()
                    if one["files"] != count)
    return Found(sum(one["files"] for one in done.values()), bad, f"{len(bad)} kinds of fault in "
                 f"{count:,} files for each of {whole} readers{fewer}")


def every_reader(folder: Path) -> Iterator[hostile.Reader]:
    """The readers of files from outside and of firebreak's own."""
    yield from readers(folder)
    yield from own_readers(folder)


def _structured(folder: Path, count: int) -> Found:
    """Format by format; a fault is a traceback, a crash, a hang or memory above the budget."""
    place, bad, hangs, done = Path(tempfile.mkdtemp(dir=folder)), [], 0, {}
    whole = structured.by_name_in(place)
    for one in (*structured.formats(whole, place), *other_formats.formats(whole, place)):
        one.reader.read()  # the whole files
        found = done[one.name] = structured.attack(one, count, place)
        bad += [f"{one.name}: {fault}" for fault in found["faults"]]
        bad += [f"{one.name}: {found['peak'] / 1e6:.0f} MB"] * (
            found["peak"] > structured.BUDGET_BYTES)
        hangs += found["hangs"]
        print(f"  {one.name}: {found}", file=sys.stderr, flush=True)
    bad += [f"{hangs} hangs"] * (hangs > 0)
    most = max(done, key=lambda name: done[name]["peak"])
    faults = sum(len(found["faults"]) for found in done.values())
    total = sum(found["inputs"] for found in done.values())
    return Found(total, bad, f"{faults} kinds of fault and {hangs} hangs in {total:,} files, "
                 f"{count} of each of {len(done)} formats; at most {done[most]['peak'] / 1e6:.0f} "
                 f"MB more memory ({most})")


def _declared(folder: Path, count: int) -> Found:
    """Kind by kind; a fault is another number than the plain file has, or what no reader may do."""
    place, found = Path(tempfile.mkdtemp(dir=folder)), {}
    for kind in declared.KINDS:
        found[kind.name] = declared.tried(kind, place / kind.name, count)
        shutil.rmtree(place / kind.name)
    bad = [f"{name}: {what} {says[0]}" for name, outcomes in found.items()
           for what, says in outcomes.items() if what not in ("read", "refused", "warned", "")]
    counts = {what: sum(len(outcomes.get(what, [])) for outcomes in found.values())
              for what in ("read", "refused", "warned")}
    total = sum(len(says) for outcomes in found.values() for what, says in outcomes.items() if what)
    return Found(total, bad, f"{len(bad)} faults in {total:,} files of {len(found)} kinds: "
                 f"{counts['read']:,} read as they say, {counts['refused']:,} refused in one "
                 f"sentence, {counts['warned']:,} with a warning")


def _disks(folder: Path, count: int) -> Found:
    if not disks.can_mount(folder):
        return Found(0, [], "not run: this system lets no process mount a file system")
    return disks.fill_disks(folder, disks.SITES[::max(1, len(disks.SITES) // count)][:count])


ROWS: dict[str, Row] = {
    "kill": Row("kill -9 at random instants of a run, then `--resume`", "all equal",
                kills.kill_runs, 100, 1),
    "save": Row("kill -9 of a process that does nothing but save", "0 unreadable",
                kills.kill_saves, 200, 4),
    "bits": Row("one flipped bit anywhere in a checkpoint; each file cut at every block",
                "0 undetected", bits.flip_bits, 1000, 40),
    "payloads": Row("pickles with code, zip bombs, absurd sizes, wrong and newer schemas",
                    "0 run, all refused", lambda folder, _: bits.payloads(folder), 1, 1),
    "disk": Row("disk full at each place that a run writes to, for one write and for good",
                "0 good checkpoints lost", _disks, len(disks.SITES), 1),
    "nan": Row("NaN and infinity planted in 6 places", "1 learner step",
               lambda folder, count: numbers.plant_everywhere(folder, count), 2, 1),
    "signals": Row("SIGINT and SIGTERM at random instants, then `--resume`",
                   "under 5 s, all equal", kills.signal_runs, 50, 2),
    "config": Row("every key of the configuration broken in every way", "all named by line",
                  _broken_configs, 1700, 170),
    "fuzz": Row("random damage to files of every reader", "0 crashes, hangs, tracebacks",
                _fuzzed, 20_000, 20),
    "structured": Row("well-formed but absurd files, drawn from a grammar of each format",
                      "0 crashes, hangs, tracebacks; less than 2,000 MB", _structured, 60, 3),
    "declared": Row("valid files that declare something unusual: units, scales, masks, systems, "
                    "encodings, signs, dates", "the plain file's numbers, or one sentence",
                    _declared, 200, 5),
    "forged": Row("checkpoints with a value or a tensor that no run writes, and checksums that fit",
                  "0 crashes, hangs, tracebacks", forged.forge, 250, 8),
    "workers": Row("workers killed (kill -9), stopped (SIGSTOP) and raising in the midst of calls",
                   "equal or a clean stop", workers.disturb_workers, 50, 1)}
"""Every fault, by a short name."""


def available(name: str) -> bool:
    """Whether what a fault is injected into is part of this version."""
    return name != "workers" or importlib.util.find_spec("firebreak.executors") is not None


def measure(name: str, folder: Path, count: int) -> dict[str, Any]:
    """The record of a fault injected `count` times."""
    row = ROWS[name]
    (folder / name).mkdir(exist_ok=True)
    begin = time.perf_counter()
    found = row.inject(folder / name, count)
    return {"fault": row.fault, "aim": row.aim, "tried": found.tried, "figure": found.figure,
            "bad": len(found.bad), "first_bad": found.bad[:5],
            "seconds": round(time.perf_counter() - begin), "command":
            f"scripts/fault_injection.py {name} --count {count}"}


def keep(name: str, record: dict[str, Any]) -> None:
    """Stores a record, and writes all of them into the page."""
    records = json.loads(RECORDS.read_text()) if RECORDS.is_file() else {}
    records[name] = record
    RECORDS.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table(records)}\n{END}{after}", encoding="utf-8")


def table(records: dict[str, dict[str, Any]]) -> str:
    """The records as a table in Markdown."""
    lines = ["| fault | found | aim | faults | command |", "|---|---|---|---|---|"]
    order = [*ROWS, *(name for name in records if name not in ROWS)]
    lines += [f"| {r['fault']} | {r['figure']} | {r['aim']} | {r['bad']} | `{r['command']}` |"
              for r in (records[name] for name in order if name in records)]
    return "\n".join(lines)
