"""Tables of docs/results.md about the sealed test set, from the records of `benchmarks/sealed.py`.

The set was measured once, for the policy that comes with the package and the one before it
(`benchmarks/policies`).
"""

from job_kinds import KINDS
from results_records import Records, difference, markdown, matrix, of, paired, worded

OLD = "general-before"
"""Name of the policy before in the records."""

LANDS = {
    "synthetic": ("sealed-synthetic-40",), "unseen family": ("sealed-delta-40",),
    "FBP fuels": ("sealed-boreal-40", "sealed-montane-40"),
    "windows of real maps": ("sealed-bitterroot-30m-40", "sealed-otay-90m-40",
                             "sealed-vilopriu-20m-40", "sealed-worcester-30m-40")}
"""Sets of land by what the page calls them."""

KIND_SETS = {KINDS[kind].words: (f"sealed-{kind}-40",)
             for kind in ("breached", "held", "shaded", "by-hour")}
"""Sets of kinds of jobs by what the page calls them."""

HEROES = ("dqn", "dqn-lookahead")
RIVALS = {"dqn": ("dqn, before", "segments", "downstream-value"),
          "dqn-lookahead": ("dqn-lookahead, before", "segments", "dqn"),
          "dqn-search": ("dqn-search, before", "dqn-lookahead")}
"""With whom each method is compared at 5 %."""


def tables(records: Records) -> dict[str, str]:
    """The tables by name."""
    told = [record | ({"method": f"{record['method']}, before"} if record["policy"] == OLD else {})
            for record in records if record["part"].startswith("sealed")]
    kinds = of(told, part="sealed-kinds")
    plain = [record for record in of(told, budget=0.05) if record["part"] != "sealed-kinds"]
    found = {f"sealed {hero}": _table(plain, LANDS, hero, names) for hero, names in RIVALS.items()}
    return found | {
        "sealed small": "\n\n".join(
            _small(of(told, part="sealed-small"), hero) for hero in HEROES),
        "sealed kinds": "\n\n".join(_table(kinds, KIND_SETS, hero, (
            f"{hero}, before", "downstream-value")) for hero in HEROES)}


def _with_all(sets: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return sets | {"all": tuple(name for names in sets.values() for name in names)}


def _on(records: Records, names: tuple[str, ...]) -> Records:
    return [record for record in records if record["set"] in names]


def _table(records: Records, known: dict[str, tuple[str, ...]], hero: str,
           names: tuple[str, ...]) -> str:
    rows = []
    for land, sets in _with_all(known).items():
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
        for land, sets in _with_all(LANDS).items():
            here = _on(of(records, budget=share), sets)
            own = matrix(of(here, method=hero))
            rows.append([f"{share:.0%}", land, str(own.shape[1]), f"{own.mean():.3f}",
                         *(worded(difference(*paired(here, hero, name)))
                           for name in (f"{hero}, before", "segments"))])
    if not rows:
        return "Not measured."
    return markdown(
        ["cells", "land", "maps", hero, f"minus {hero}, before", "minus segments"], rows)
