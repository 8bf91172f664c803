"""Planning methods to compare with that are none of the package: what each does, by its name.

`known` makes them known to `make_plan` for a run of a benchmark.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from benchmarks.rivals import milp, ranking, starts, tom
from benchmarks.rivals.anneal import place_anneal
from benchmarks.rivals.swap import place_swap

from firebreak.planning import methods
from firebreak.planning.methods import METHODS, Method


def from_start(start: str | None) -> dict[str, Method]:
    """The searches that move single breaks, from the plan of a method that does not search, else
    from the best quick plan.
    """
    return {
        "swap": Method("moves a few breaks at a time while the plan fires lose less",
                       partial(place_swap, start=start), searches=True, tries_breaks=True),
        "anneal": Method("improves the plan on the plan fires by simulated annealing",
                         partial(place_anneal, start=start), searches=True, tries_breaks=True)}


RIVALS = {
    **from_start(None),
    "milp": Method(
        "solves a mixed-integer program on the plan fires' spread graphs, with a bound; for small "
        "maps", milp.place_milp, check_case=milp.check_case, searches=True),
    "greedy-filtered": Method(
        "as greedy, but tries only the 64 cells with the most value burned behind them",
        starts.place_greedy_filtered, tries_breaks=True),
    "downstream-value-static": Method(
        "treats the cells with the most value burned behind them on the untreated map",
        ranking.place_downstream_value_static, keeps_fires=False),
    "value-hazard": Method(
        "treats the cells with the largest burn probability x flame length x value",
        ranking.place_value_hazard),
    "tom": Method(
        "places patches across the fastest paths of fire from the upwind edge in the worst "
        "weather", tom.place_tom, keeps_fires=False),
    "regression": Method(
        "treats the single cells that a trained policy values most, also where it was trained to "
        "place lines", ranking.place_regression, guided=True),
}


def method_of(name: str) -> Method:
    """The method of a plan's name, be it a rival's."""
    return RIVALS.get(name) or methods.method_of(name)


@contextmanager
def known(others: dict[str, Method] = RIVALS) -> Iterator[None]:
    """Methods that are no methods of the package are, meanwhile."""
    before = dict(METHODS)
    METHODS.update(others)
    try:
        yield
    finally:
        METHODS.clear()
        METHODS.update(before)
