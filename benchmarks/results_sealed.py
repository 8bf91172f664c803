"""Tables of docs/results.md about the sealed test set, from the records of `benchmarks/sealed.py`.

The set was measured once, for the policy that comes with the package and that of version 1.0
(`benchmarks/policies`).
"""

from results_records import Records, difference, markdown, matrix, of, paired, worded

OLD = "segments"
"""Name of the policy of version 1.0 in the records."""

LANDS = {
    "synthetic": ("sealed-synthetic-40",), "unseen family": ("sealed-delta-40",),
    "FBP fuels": ("sealed-boreal-40", "sealed-montane-40"),
    "windows of real maps": ("sealed-santa-ana-30m-40", "sealed-vilopriu-20m-40",
                             "sealed-dogrib-100m-40")}
"""Sets of land by what the page calls them."""

RIVALS = {"dqn": ("dqn, 1.0", "segments", "greedy", "downstream-value"),
          "dqn-lookahead": ("dqn-lookahead, 1.0", "segments", "greedy", "dqn"),
          "dqn-search": ("dqn-search, 1.0", "dqn-lookahead")}
"""With whom each method is compared at 5 %."""


def tables(records: Records) -> dict[str, str]:
    """The tables by name."""
    told = [record | {"method": f"{record['method']}, 1.0"} if record["policy"] == OLD else record
            for record in records if record["part"].startswith("sealed")]
    plain = of(told, budget=0.05)
    found = {f"sealed {hero}": _table(plain, hero, names) for hero, names in RIVALS.items()}
    return found | {"sealed small": "\n\n".join(
        _small(of(told, part="sealed-small"), hero) for hero in ("dqn", "dqn-lookahead"))}


def _sets() -> dict[str, tuple[str, ...]]:
    return LANDS | {"all": tuple(name for names in LANDS.values() for name in names)}


def _on(records: Records, names: tuple[str, ...]) -> Records:
    return [record for record in records if record["set"] in names]


def _table(records: Records, hero: str, names: tuple[str, ...]) -> str:
    rows = []
    for land, sets in _sets().items():
        here = _on(records, sets)
        own = matrix(of(here, method=hero))
        if not own.size:
            return "Not measured."
        rows.append([land, str(own.shape[1]), f"{own.mean():.3f}",
                     *(worded(difference(*paired(here, hero, name))) for name in names)])
    return markdown(["land", "maps", hero, *(f"minus {name}" for name in names)], rows)


def _small(records: Records, hero: str) -> str:
    rows = []
    for share in sorted({record["budget"] for record in records}):
        for land, sets in _sets().items():
            here = _on(of(records, budget=share), sets)
            own = matrix(of(here, method=hero))
            rows.append([f"{share:.0%}", land, str(own.shape[1]), f"{own.mean():.3f}",
                         *(worded(difference(*paired(here, hero, name)))
                           for name in (f"{hero}, 1.0", "segments"))])
    if not rows:
        return "Not measured."
    return markdown(["cells", "land", "maps", hero, f"minus {hero}, 1.0", "minus segments"], rows)
