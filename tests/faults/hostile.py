"""Damaged and hostile files for every reader: what is read, how it is broken, what may happen.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rasterio
import rasterio.shutil
import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy, save_policy
from firebreak.checks import InputError
from firebreak.cli.behavior_cases import fbp_results, is_fbp, surface_results
from firebreak.cli.memory import _rows_of
from firebreak.cli.tables import read_table
from firebreak.cli.value_layers import read_layers
from firebreak.fire.wind_rose import rose_of
from firebreak.landscape.cell2fire_tables import read_firebreaks, read_ignitions, read_scar
from firebreak.landscape.cell2fire_writer import write_cell2fire
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.rasters import read_on_grid, with_rasters
from firebreak.landscape.readers import read_landscape
from firebreak.landscape.toml_files import read_settings
from firebreak.landscape.weather_files import read_weather
from firebreak.landscape.writers import write_ascii_folder, write_geotiff, write_landscape
from firebreak.layout import OBSERVATION
from firebreak.planning.export import read_plan, write_plan
from firebreak.planning.methods import make_plan
from firebreak.train.config import load_config
from firebreak.train.store import open_folder, write_folder

SECONDS_PER_FILE = 10
MEMORY_BYTES = 3_000_000_000
Step = tuple[str, float, int]
"""A kind of damage, where (share of the file), and a number that it uses."""


class Reader(NamedTuple):
    """files: those to damage, whole; read: what reads them, again and again."""

    name: str
    files: list[Path]
    read: Callable[[], object]


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


def readers(folder: Path) -> Iterator[Reader]:
    """Every reader of files from outside, with whole files of its formats."""
    land = _landscape(folder)
    tif = write_landscape(folder / "map.tif", land)
    yield Reader("landscape GeoTIFF", [tif], lambda: read_landscape(tif))
    lcp = folder / "map.lcp"
    _write_lcp(tif, lcp)
    yield Reader("FARSITE .lcp", [lcp], lambda: read_landscape(lcp))
    grids = write_ascii_folder(folder / "ascii", land)
    yield Reader("folder of ASCII grids", grids, lambda: read_landscape(folder / "ascii"))
    tables = write_cell2fire(folder / "c2f", land)
    yield Reader("Cell2Fire folder", tables, lambda: read_landscape(folder / "c2f"))
    value = write_geotiff(folder / "value.tif", {"value": land.value}, land)
    yield Reader("value raster", [value], lambda: read_on_grid(value, land))
    yield from _point_lists(folder, land)
    yield from _weather(folder)
    yield from _settings(folder, land)
    yield from _plans(folder, land)
    yield from _own(folder)


def _landscape(folder: Path) -> Landscape:
    return read_landscape("synthetic:3:12")


def _write_lcp(tif: Path, lcp: Path) -> None:
    with rasterio.open(tif) as source:
        bands = np.stack([np.clip(source.read(k), -9999, 32000) for k in range(1, 9)])
        profile = source.profile | {"driver": "GTiff", "count": 8, "dtype": "int16",
                                    "nodata": None, "compress": None}
    plain = lcp.with_suffix(".whole.tif")
    with rasterio.open(plain, "w", **profile) as file:
        file.write(bands.astype(np.int16))
    rasterio.shutil.copy(plain, lcp, driver="LCP", LATITUDE=40, LINEAR_UNIT="METER")
    plain.unlink()


def _text(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _point_lists(folder: Path, land: Landscape) -> Iterator[Reader]:
    points = _text(folder / "points.csv", "row,col", "3,4", "5,6", "7,7")
    yield Reader("ignition points", [points], lambda: with_rasters(land, ignition=points))
    ids = _text(folder / "Ignitions.csv", "Year,Ncell", "1,3", "2,44")
    yield Reader("Cell2Fire ignitions", [ids], lambda: read_ignitions(ids, 144))
    breaks = _text(folder / "breaks.csv", "Year,Ncell", "1,3,4,5,6,7")
    yield Reader("Cell2Fire fire breaks", [breaks], lambda: read_firebreaks(breaks, 144))
    scar = _text(folder / "scar.csv", *(["0,1,0,0,1,1,0,0,0,1,0,0"] * 12))
    yield Reader("Cell2Fire scar", [scar], lambda: read_scar(scar, (12, 12)))


def _weather(folder: Path) -> Iterator[Reader]:
    csv = _text(folder / "Weather.csv", "Scenario,datetime,APCP,TMP,RH,WS,WD",
                "A,2001-10-16 13:00,0,17.7,20,23,235", "A,2001-10-16 14:00,0.5,16.9,18,0,0",
                "A,2001-10-16 15:00,0,16.1,20,11.5,360")
    yield Reader("Cell2Fire weather", [csv], lambda: read_weather(csv))
    station = _text(folder / "station.csv", "datetime,TMP,RH,APCP,WS,WD", *(
        f"2023-01-01 {hour:02}:00:00,9,80,1,{10 + hour},305" for hour in range(9)))
    yield Reader("station weather", [station], lambda: read_weather(station))
    wxs = _text(folder / "a.wxs", "RAWS_UNITS: English", "RAWS_ELEVATION: 100", "RAWS: 2",
                "Year Mth Day Time Temp RH HrlyPcp WindSpd WindDir CloudCov",
                "2023 2 1 2300 50 64 0.10 10 155 30", "2023 2 2 0000 59 68 0.00 20 360 0")
    yield Reader("FARSITE .wxs", [wxs], lambda: read_weather(wxs))
    wtr = _text(folder / "b.wtr", "METRIC", "2 1 12 600 1400 10 30 80 20 482 100 400",
                "2 2 0 600 1400 12 32 80 20 482")
    wnd = _text(folder / "b.wnd", "METRIC", "2 1 0 23 155 0", "2 1 1230 11.5 0 50",
                "2 2 2300 46 90 0")
    yield Reader("FARSITE .wtr and .wnd", [wtr, wnd], lambda: read_weather(wnd, year=2023))
    grids = folder / "gridded"
    grids.mkdir()
    for name in ("ws", "wd", "m1"):
        with rasterio.open(grids / f"{name}_1.tif", "w", driver="GTiff", count=6, height=3, width=2,
                           dtype="float32", transform=rasterio.Affine(900, 0, 0, 0, -900, 0)
                           ) as file:
            file.write(np.full((6, 3, 2), 9.0, np.float32))
    yield Reader("gridded weather", sorted(grids.iterdir()), lambda: read_weather(grids))


def _settings(folder: Path, land: Landscape) -> Iterator[Reader]:
    from firebreak.train.config import preset_file

    config = folder / "config.toml"
    config.write_bytes(preset_file("general").read_bytes())
    yield Reader("configuration", [config], lambda: load_config(str(config)))
    rose = _text(folder / "rose.toml", "wind_from_deg = [0, 90, 180]", "wind_20ft_mph = [5, 20]",
                 "frequency = [[1, 2], [3, 4], [5, 6]]", 'moisture = "D2L2"', "curing = 0.5")
    yield Reader("wind rose", [rose], lambda: rose_of(read_settings(rose), str(rose)))
    layers = _text(folder / "layers.toml", "[[layer]]", 'raster = "value.tif"', "weight = 2.0",
                   "losses = [0, 0.2, 0.4, 0.6, 0.8, 1]", 'name = "houses"')
    yield Reader("value layers", [layers], lambda: read_layers(layers, land))
    cases = _text(folder / "cases.csv", "fuel_model,m1h_pct,m10h_pct,m100h_pct,mherb_pct,mwood_pct,"
                  "wind_midflame_mph,wind_from_deg,slope_pct,aspect_deg", "1,6,7,8,60,90,5,0,10,0")
    fbp = _text(folder / "fbp.csv", "FuelType,FFMC,BUI,WS,WD", "C2,90,60,20,90", "M1,85,40,5,0")
    for table in (cases, fbp):
        yield Reader(f"cases ({table.stem})", [table], lambda table=table: _results(table))


def _results(path: Path) -> object:
    table = read_table(path)
    return fbp_results(table) if is_fbp(table) else surface_results(table)


def _plans(folder: Path, land: Landscape) -> Iterator[Reader]:
    from firebreak.fire.scene import FireConditions, make_scene

    plan = make_plan(make_scene(land, FireConditions(), 0), 0.1, 2, "random", seed=0)
    made = write_plan(plan, land, folder / "plan")
    for kind in ("csv", "tif"):
        yield Reader(f"plan as {kind}", [made[kind], made["json"]],
                     lambda kind=kind: read_plan(made[kind], land))


def _own(folder: Path) -> Iterator[Reader]:
    policy = folder / "policy.pt"
    save_policy(policy, QMapNetwork(OBSERVATION.channels, 4), 4, {"run": "a", "config": "seed = 0"})
    yield Reader("policy", [policy], lambda: load_policy(policy))
    saved = folder / "saved"
    write_folder(saved, "run", {"w": torch.arange(50.0), "n": 3, "rows": [1.5, None, "a"]})
    yield Reader("checkpoint", sorted(saved.iterdir()), lambda: open_folder(saved, "run").load())
    run = folder / "run"
    run.mkdir()
    _text(run / "config.toml", "seed = 0")
    row = {"phase": "cleanup", "episodes": 3, "env_steps": 9, "rss_bytes": 9, "kind": "memory",
           "owned_bytes": {"a": 9}, "items": {}, "live": {}, "objects": {}, "filled": {}}
    rows = _text(run / "memory.jsonl", *(json.dumps(row | {"episodes": k}) for k in range(9)))
    yield Reader("rows of a run", [rows], lambda: _rows_of(run))


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
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process even inside a library
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    found: dict[str, list[Any]] = {}
    place.write_text(json.dumps([begin, found]))
    for number in range(begin, len(steps)):
        path = reader.files[number % len(reader.files)]
        whole = path.read_bytes()
        place.write_text(json.dumps([number, found]))
        signal.alarm(SECONDS_PER_FILE)
        path.write_bytes(damaged(whole, steps[number]))
        fault = outcome(reader)
        path.write_bytes(whole)
        signal.alarm(0)
        if fault is not None:
            found.setdefault(fault, [path.name, steps[number]])
    place.write_text(json.dumps([len(steps), found]))
    os._exit(0)
