"""Tables of docs/results.md about other jobs: kinds of breaks, weather, places, and few cells."""

from job_kinds import KINDS
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

HEROES = ("dqn", "dqn-lookahead")
LANDS = {"synthetic": "synthetic maps", "real": "windows of real maps"}


def tables(records: Records) -> dict[str, str]:
    """The tables by name."""
    kinds, small = of(records, part="kinds"), of(records, part="small-budgets")
    return {"kinds": _means(kinds),
            **{f"kinds {hero}": _kinds(kinds, hero, ("segments", "downstream-value"))
               for hero in HEROES},
            **{f"small {hero}": _small(small, hero, ("greedy", "segments")) for hero in HEROES}}


def _of_kind(records: Records, kind: str) -> Records:
    return of(records, set=f"synthetic-{kind or 'hard'}-40")


def _means(records: Records) -> str:
    """Savings of each method, on the maps of a kind that all methods there were measured on."""
    if not records:
        return "Not measured."
    names = methods_of(records)[::-1]
    rows = []
    for kind, known in KINDS.items():
        own = {name: of(_of_kind(records, kind), method=name) for name in names}
        places = [set(places_of(found)) for found in own.values() if found]
        if places:
            common = sorted(set.intersection(*places))
            rows.append([known.words, str(len(common)), *(
                f"{matrix(found, only=common).mean():.3f}" if found else ""
                for found in own.values())])
    return markdown(["jobs", "maps", *names], rows)


def _kinds(records: Records, hero: str, names: tuple[str, ...]) -> str:
    """Savings of a method beyond others', by kind."""
    rows = [[known.words, *_leads(_of_kind(records, kind), hero, names)]
            for kind, known in KINDS.items() if _of_kind(records, kind)]
    return markdown([f"{hero} minus", *names], rows) if rows else "Not measured."


def _small(records: Records, hero: str, names: tuple[str, ...]) -> str:
    """Savings of a method with few cells, and beyond others'."""
    rows = []
    for share in sorted({record["budget"] for record in records}):
        for land, words in LANDS.items():
            here = on_land(of(records, budget=share), land)
            own = matrix(of(here, method=hero))
            if own.size:
                rows.append([f"{share:.0%}", words, str(own.shape[1]), f"{own.mean():.3f}",
                             *_leads(here, hero, names)])
    header = ["cells", "land", "maps", hero, *(f"minus {name}" for name in names)]
    return markdown(header, rows) if rows else "Not measured."


def _leads(records: Records, hero: str, names: tuple[str, ...]) -> list[str]:
    found = [paired(records, hero, name) for name in names]
    return [worded(difference(*pair)) if pair[0].size else "" for pair in found]
