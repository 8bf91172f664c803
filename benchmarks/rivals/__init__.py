"""Planning methods to compare with that are none of the package: what each does, by its name.

`known` makes them known to `make_plan` for a run of a benchmark.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.rivals import ranking, tom

from firebreak.planning import methods
from firebreak.planning.methods import METHODS, Method

RIVALS = {
    "downstream-value-static": Method(
        "treats the cells with the most value burned behind them on the untreated map",
        ranking.place_downstream_value_static, batches=False, keeps_fires=False),
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
    METHODS.update(others)
    try:
        yield
    finally:
        for name in others:
            del METHODS[name]
