"""`firebreak behavior CASES.csv --out OUT.csv`: fire behaviour of a table of cases."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from firebreak.checks import fail
from firebreak.cli.shared import common, tables
from firebreak.files import made_folder
from firebreak.settings.binding import Bound
from firebreak.settings.schema import POSITIONAL


@dataclass(frozen=True)
class BehaviorArguments:
    """Write the fire behaviour of every row of a table beside the row.

    A table with the columns fuel_model, m1h_pct, m10h_pct, m100h_pct, mherb_pct, mwoody_pct,
    midflame_wind_mph, wind_from_deg, slope_pct, aspect_deg holds surface fires (Rothermel). A
    table with FuelType, FFMC, BUI, WS holds fires of the Canadian FBP System; WD, GS, Aspect, LAT,
    LONG, ELV, Dj, D0, PC, PDF, GFL, cc, CBH, CFL, FMC, ISI, BUIEff are used where they are given,
    with the units and standard values of the cffdrs package; rates are those at equilibrium.
    Wind directions are where the wind blows from. Other columns are passed through; one with the
    name of a result is kept as NAME_given.
    """

    cases: Annotated[Path, POSITIONAL]
    """CSV file with a header; comma, semicolon or tab."""
    out: Path
    """CSV file to write."""
    json: bool = False
    """End with one machine-readable line."""


def run(bound: Bound[BehaviorArguments]) -> int:
    """Runs the command."""
    args = bound.options
    begin = time.perf_counter()
    table = tables.read_table(args.cases)
    _check_out(args.out, args.cases)
    from firebreak.cli.commands.behavior_cases import cases_in

    cases = cases_in(table)
    results = cases.results(table)
    made_folder(args.out.parent)
    path = tables.write_table(args.out, table, results)
    seconds = time.perf_counter() - begin
    print(f"{len(table.rows)} cases by {cases.model} in {seconds:.2f} s")
    if standards := cases.standards(table):
        print(f"standard values for columns that were not given: {standards}")
    kept = tables.kept_names(table, results)
    if renamed := [name for name in kept if name not in table.names]:
        print(f"columns kept under another name: {', '.join(renamed)}")
    print(path)
    if args.json:
        common.print_json({"files": [str(path)], "seconds": seconds, "rows": len(table.rows)})
    return 0


def _check_out(out: Path, cases: Path) -> None:
    if out.is_dir():
        raise fail(expected="a CSV file to write", given="a folder", where=f"--out {out}",
                   remedy="add a file name")
    if out.exists() and out.samefile(cases):
        raise fail(expected="a file other than the cases", given="the same one",
                   where=f"--out {out}", remedy="choose another --out")
    if any(parent.is_file() for parent in out.parents):
        raise fail(expected="a file in a folder", given="a file in a file", where=f"--out {out}",
                   remedy="choose another --out")
