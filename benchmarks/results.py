"""Makes docs/results.md, its figures and its appendix docs/results-tables.md from stored records:
python benchmarks/results.py

Records are made by `benchmarks/protocol.py`. The page's own words are in docs/results.template.md,
where `<!-- table NAME -->` stands for a table of this module. The appendix has tables alone.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import doubt
import numpy as np
import results_kinds
import results_sealed
from interquartile import (
    interquartile_mean,
    probability_of_improvement,
    stratified_interval,
)
from job_kinds import KINDS
from protocol import read_records
from results_figures import draw_figures
from results_records import (
    Records,
    difference,
    markdown,
    matrix,
    methods_of,
    of,
    on_land,
    paired,
    places_of,
    worded,
)

from firebreak.seeding import generator

RIVALS = {"dqn": ("segments", "greedy", "regression", "downstream-value"),
          "dqn-lookahead": ("segments", "greedy", "dqn", "downstream-value")}
"""With whom the policy is compared on more maps."""

LINES = ("lines", "line-searches", "flow-searches", "searches-from-segments")
"""Parts in which lines come from the policy and from elsewhere."""

SUMMARY = ("dqn-lookahead", "dqn", "segments", "greedy", "downstream-value")
SUMMARY_LAND = {"synthetic": "synthetic maps", "shifted": "maps of another family",
                "real": "windows of real maps"}
"""Methods and land of the page's first table, which the README repeats."""


def compared(records: Records, hero: str = "dqn") -> str:
    """Every method of one set of conditions in two tables: what it saves beside the hero, and what
    its plans promised, look like and cost.
    """
    if not records:
        return "Not measured."
    saved, made = [], []
    for name in reversed(methods_of(records)):
        found = of(records, method=name)
        values = matrix(found)
        low, high = stratified_interval(values, generator(0, "results", name))

        def mean(field: str, found: Records = found) -> float:
            return float(np.mean([record[field] for record in found]))

        line = [name, str(values.shape[1]),
                f"{interquartile_mean(values.ravel()):.3f} ({low:.3f} to {high:.3f})",
                f"{mean('reduction'):.3f}", f"{mean('reduction_untreated_cells'):.3f}",
                f"{mean('cvar90_reduction'):.3f}"]
        own, other = paired(records, hero, name)
        if name == hero or own.shape[1] == 0:
            line += ["", ""]
        else:
            more = difference(own, other)
            chance = probability_of_improvement(own, other.mean(axis=0))
            line += [worded(more), f"{chance:.2f}"]
        saved.append(line)
        made.append([name, f"{mean('in_sample_reduction') - mean('reduction'):+.3f}",
                     f"{mean('pieces'):.0f}", f"{mean('length_m') / 1000.0:.1f}",
                     f"{mean('seconds'):.2f}", f"{mean('simulations'):.0f}"])
    return "\n\n".join([
        markdown(["method", "maps", "reduction, IQM (95 %)", "mean", "untreated cells",
                  "worst 10 %", f"{hero} minus it", "chance"], saved),
        markdown(["method", "promised minus kept", "pieces", "length, km", "seconds",
                  "simulations"], made)])


def means(records: Records, field: str, label: Callable[[Any], str]) -> str:
    """Mean reduction of each method: rows methods, the best first, columns values of a field."""
    return _by_field(records, field, label, None)


def leads(records: Records, field: str, label: Callable[[Any], str], hero: str) -> str:
    """The hero's mean lead over each of the others: rows methods, columns values of a field."""
    return _by_field(records, field, label, hero)


def _by_field(records: Records, field: str, label: Callable[[Any], str], hero: str | None) -> str:
    if not records:
        return "Not measured."
    values = sorted({record[field] for record in records})
    rows = []
    for name in reversed(methods_of(records)):
        if name == hero:
            continue
        line = [name]
        for value in values:
            here = of(records, **{field: value})
            if hero is None:
                own = matrix(of(here, method=name))
                line.append(f"{own.mean():.3f}" if own.size else "")
                continue
            ours, theirs = paired(here, hero, name)
            line.append("" if ours.shape[1] == 0 else worded(difference(ours, theirs)))
        rows.append(line)
    first = "method" if hero is None else f"{hero} minus"
    return markdown([first, *map(label, values)], rows)


def lead_by_size_and_share(records: Records, hero: str, other: str = "downstream-value") -> str:
    """The hero's mean lead over another method: rows map sizes, columns burned shares."""
    theirs = of(records, method=other)
    if not theirs:
        return "Not measured."
    shares = sorted({record["burned_share"] for record in theirs})
    sizes = sorted({record["set"] for record in theirs}, key=lambda name: int(name.split("-")[-1]))
    rows = []
    for size in sizes:
        line = [size.removeprefix("synthetic-")]
        for share in shares:
            here = of(records, set=size, burned_share=share)
            found = paired(here, hero, other)
            if found[0].shape[1] == 0:
                line.append("")
                continue
            line.append(worded(difference(*found)))
        rows.append(line)
    return markdown(["cells along a side", *(f"{share:.0%} burned" for share in shares)], rows)


def downstream_by_size_and_share(records: Records) -> str:
    """Savings of downstream value: rows map sizes, columns burned shares."""
    found = of(records, method="downstream-value")
    if not found:
        return "Not measured."
    shares = sorted({record["burned_share"] for record in found})
    sizes = sorted({record["set"] for record in found}, key=lambda name: int(name.split("-")[-1]))
    rows = [[size.removeprefix("synthetic-"), *(
        f"{matrix(of(found, set=size, burned_share=share)).mean():.3f}" for share in shares)]
        for size in sizes]
    return markdown(["cells along a side", *(f"{share:.0%} burned" for share in shares)], rows)


def elsewhere(records: Records) -> str:
    """Savings of plans burned in another simulator and in this one, and the lead of `dqn` and
    of `dqn-lookahead` in the other one.
    """
    if not records:
        return "Not measured."
    rows = []
    for name in reversed(methods_of(records)):
        found = of(records, method=name)
        here = float(np.mean([record["reduction_here"] for record in found]))
        more = ["" if name == hero else worded(difference(*paired(records, hero, name)))
                for hero in ("dqn", "dqn-lookahead")]
        rows.append([name, f"{here:.3f}", f"{matrix(found).mean():.3f}", *more])
    return markdown(["method", "firebreak", "Pyretechnics", "dqn minus it, Pyretechnics",
                     "dqn-lookahead minus it, Pyretechnics"], rows)


def rivals(records: Records, hero: str) -> str:
    """A method that follows the policy against its rivals, by land and number of plan fires: two
    rivals a table.
    """
    return "\n\n".join(_against(records, hero, names)
                       for names in (RIVALS[hero][:2], RIVALS[hero][2:]))


def _against(records: Records, hero: str, names: Sequence[str]) -> str:
    rows = []
    for land in ("synthetic", "shifted", "real"):
        for shown in sorted({record["plan_fires"] for record in records}):
            here = on_land(of(records, plan_fires=shown), land)
            line = [land, f"{shown:,}"]
            for name in names:
                own, other = paired(here, hero, name)
                if own.shape[1] == 0:
                    line += [""] * 3
                    continue
                line += [str(own.shape[1]), f"{own.mean():.3f} / {other.mean():.3f}",
                         worded(difference(own, other))]
            rows.append(line)
    return markdown(["land", "plan fires", *(
        word for name in names
        for word in ("maps", f"{hero} / {name}", "difference"))], rows)


SECTIONS: dict[str, dict[str, str]] = {
    "Synthetic maps": {f"{n:,} plan fires": f"synthetic-40 {n}" for n in (64, 256, 1000)},
    "Another family": {f"{n:,} plan fires": f"shifted-40 {n}" for n in (64, 256, 1000)},
    "Real maps": {
        "256 plan fires": "real", "Mean reduction by map": "real-each",
        "dqn minus each method, by map": "real-each dqn"},
    "Rivals on more maps": {"dqn": "rivals", "dqn-lookahead": "rivals-lookahead"},
    "The sealed test set": {
        "dqn": "sealed dqn", "dqn-lookahead": "sealed dqn-lookahead",
        "dqn-search, 2 seconds": "sealed dqn-search", "Fewer cells": "sealed small"},
    "In another simulator": {"16 synthetic maps, 300 test fires of each": "elsewhere"},
    "Under doubt": {
        "Twelve maps, 20 draws of each perturbation": "doubt", "Order of methods": "doubt order"},
    "Budgets": {
        "Mean reduction by share of the cells": "budgets", "dqn minus each method": "budgets dqn",
        "dqn-lookahead minus each method": "budgets dqn-lookahead",
        "Few cells on more maps: dqn": "small dqn",
        "Few cells on more maps: dqn-lookahead": "small dqn-lookahead"},
    "Other jobs": {
        "Thirty synthetic maps of each kind": "kinds", "dqn minus each method": "kinds dqn",
        "dqn-lookahead minus each method": "kinds dqn-lookahead"},
    "Map size and share burned": {
        "dqn minus downstream value": "range", "dqn-lookahead minus downstream value":
        "range-lookahead", "Reduction by downstream value": "range-downstream",
        "dqn minus greedy": "range-greedy", "dqn-lookahead minus greedy": "range-greedy-lookahead",
        "256 x 256 cells": "huge", "256 x 256 cells, dqn minus each method": "huge dqn",
        "64 x 64 cells, synthetic maps": "large", "64 x 64 cells, real maps": "real-64"},
    "Few fires and many": {
        "Promised minus kept": "promised", "The same, dqn minus each method": "promised dqn",
        "Kept": "kept", "Kept, dqn minus each method": "kept dqn"},
    "Who proposes the lines": {
        "Twelve synthetic maps": "lines", "dqn-lookahead minus each method": "lines dqn-lookahead"},
    "Search and time": {
        "By time limit": "time", "By budget, 10 seconds": "search-budgets",
        "dqn-search minus each method": "search-budgets dqn-search", "Seconds per plan": "pace"}}
"""Sections of the appendix: the table of each heading."""


def appendix(found: dict[str, str]) -> str:
    """The page of all tables, by section."""
    lines = ["# Tables of the results", "", "<!-- made by benchmarks/results.py -->", "",
             "40 x 40 cells, 5 % of the treatable cells, 256 plan and 2,000 test fires unless a",
             "heading says otherwise. What is measured: [results](results.md)."]
    for section, tables_of in SECTIONS.items():
        lines += ["", f"## {section}"]
        for heading, name in tables_of.items():
            lines += ["", f"### {heading}", "", found[name]]
    return "\n".join(lines) + "\n"


def summary(records: Records) -> str:
    """The page's first table: mean reduction of the policy and its rivals on every map that all of
    them were measured on with 256 plan fires, and the seconds of a plan.
    """
    here = of(records, part="rivals", plan_fires=256)
    timed = of(records, part="pace", plan_fires=256)
    header, rows = ["method"], [[name] for name in SUMMARY]
    for land, words in SUMMARY_LAND.items():
        own = {name: of(on_land(here, land), method=name) for name in SUMMARY}
        common = sorted(set.intersection(*(set(places_of(found)) for found in own.values())))
        if not common:
            return "Not measured."
        header.append(f"{len(common)} {words}")
        for line in rows:
            line.append(f"{matrix(own[line[0]], only=common).mean():.3f}")
    for line in rows:
        median = [float(np.median(matrix(of(on_land(timed, land), method=line[0]), "seconds")))
                  for land in SUMMARY_LAND]
        line.append(f"{min(median):.2f} - {max(median):.2f}")
    return markdown([*header, "seconds per plan"], rows)


def pace(records: Records) -> str:
    """Two tables by land and plan fires: median seconds of each method, and how many times as long
    greedy takes as the policy (median, lowest and highest of the maps).
    """
    if not records:
        return "Not measured."
    names = ("downstream-value", "dqn", "dqn-lookahead", "segments", "greedy")
    taken, ratios = [], []
    for land in ("synthetic", "shifted", "real"):
        for shown in sorted({record["plan_fires"] for record in records}):
            here = of(on_land(records, land), plan_fires=shown)
            seconds = {name: matrix(of(here, method=name), "seconds")[0] for name in names}
            taken.append([land, f"{shown:,}", str(seconds["greedy"].size),
                          *(f"{np.median(seconds[name]):.2f}" for name in names)])
            line = [land, f"{shown:,}"]
            for name in ("dqn", "dqn-lookahead"):
                ratio = seconds["greedy"] / seconds[name]
                line.append(f"{np.median(ratio):.0f} ({ratio.min():.0f} to {ratio.max():.0f})")
            ratios.append(line)
    return "\n\n".join([
        markdown(["land", "plan fires", "maps", *names], taken),
        markdown(["land", "plan fires", "greedy / dqn", "greedy / dqn-lookahead"], ratios)])


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _count(fires: int) -> str:
    return f"{fires:,}"


def _fires(fires: int) -> str:
    return f"{fires:,} plan fires"


def _window_set(name: str) -> str:
    """A set of windows in words: santa-ana-30m-40 is Santa Ana, 30 m."""
    place, cell, _ = name.rsplit("-", 2)
    return f"{place.replace('-', ' ').title()}, {cell.removesuffix('m')} m"


def policy_of(set_name: str) -> str:
    """The policy that commands follow for the jobs on a set of maps."""
    kind = set_name.removeprefix("synthetic-").removesuffix("-40")
    return KINDS[kind if kind in KINDS else ""].policy


def tables(records: Records) -> dict[str, str]:
    """Every table of the page by name.

    Raises:
        ValueError: records of another policy than the page is of, which the tables would take for
            that one.
    """
    other = {f"{record['policy']} in {record['key']}" for record in records
             if record["policy"] not in ("", policy_of(record["set"]))
             and not record["part"].startswith("sealed")}
    if other:
        raise ValueError(f"records of the policies that commands follow, got {min(other)}")
    part = {name: of(records, part=name) for name in
            ("main", "real", "large", "budgets", "range", "gap", "huge")}
    held = part["range"] + of(records, part="range-greedy")
    timed = [record | {"method": f"{record['method']}, {record['limit']:g} s"}
             for record in of(records, part="time")]
    lined = [record | {"method": record["method"] + (f", {record['limit']:g} s"
                                                     if record["limit"] else "")}
             for name in LINES for record in of(records, part=name)]
    searched = of(records, part="search-budgets") + of(records, part="time", limit=10.0)
    promised = [record | {"reduction": record["in_sample_reduction"] - record["reduction"]}
                for record in part["gap"]]
    huge = [record | {"set": f"{record['set']}, {record['burned_share']:.0%} burned"}
            for record in part["huge"]]
    found = {"summary": summary(records),
             "time": compared(timed, hero="dqn-search, 10 s"),
             "lines": compared(lined, hero="dqn-search, 2 s"),
             "lines dqn-lookahead": leads(lined, "plan_fires", _fires, "dqn-lookahead"),
             "range": lead_by_size_and_share(part["range"], "dqn"),
             "range-downstream": downstream_by_size_and_share(part["range"]),
             "range-lookahead": lead_by_size_and_share(part["range"], "dqn-lookahead"),
             "range-greedy": lead_by_size_and_share(held, "dqn", "greedy"),
             "range-greedy-lookahead": lead_by_size_and_share(held, "dqn-lookahead", "greedy"),
             "real": compared(part["real"]),
             "large": compared(of(part["large"], set="synthetic-64")),
             "real-64": compared([r for r in part["large"] if r["set"] != "synthetic-64"]),
             "rivals": rivals(of(records, part="rivals"), "dqn"),
             "rivals-lookahead": rivals(of(records, part="rivals"), "dqn-lookahead"),
             "pace": pace(of(records, part="pace")),
             "elsewhere": elsewhere(of(records, part="elsewhere")),
             **results_kinds.tables(records), **results_sealed.tables(records)}
    for name, own, field, label, heroes in (
            ("budgets", part["budgets"], "budget", _percent, ("dqn", "dqn-lookahead")),
            ("search-budgets", searched, "budget", _percent, ("dqn-search",)),
            ("promised", promised, "plan_fires", _count, ("dqn",)),
            ("kept", part["gap"], "plan_fires", _count, ("dqn",)),
            ("real-each", part["real"], "set", _window_set, ("dqn",)),
            ("huge", huge, "set", str, ("dqn",))):
        found[name] = means(own, field, label)
        found |= {f"{name} {hero}": leads(own, field, label, hero) for hero in heroes}
    for land in ("synthetic-40", "shifted-40"):
        for shown in (64, 256, 1000):
            found[f"{land} {shown}"] = compared(of(part["main"], set=land, plan_fires=shown))
    return found


def main() -> None:
    """Writes both pages."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--records", type=Path, default=Path("docs/results/records"))
    options.add_argument("--template", type=Path, default=Path("docs/results.template.md"))
    options.add_argument("--out", type=Path, default=Path("docs/results.md"))
    args = options.parse_args()
    records = read_records(args.records)
    found = tables(records) | doubt.tables(read_records(args.records.parent / "doubt.jsonl"))
    text = args.template.read_text(encoding="utf-8")
    text = re.sub(r"<!-- table (.+?) -->", lambda match: found[match.group(1)], text)
    args.out.write_text(text, encoding="utf-8")
    tables_page = args.out.with_stem(f"{args.out.stem}-tables")
    tables_page.write_text(appendix(found), encoding="utf-8")
    for path in [args.out, tables_page, *draw_figures(records, args.out.parent / "figures")]:
        print(path)


if __name__ == "__main__":
    main()
