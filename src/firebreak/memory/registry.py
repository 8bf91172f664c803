"""Live objects, counted without keeping them alive: those that said so, and all that exist.

The census counts objects by class, whoever holds them: what no root leads to is seen there. The
garbage collector lists every object that can be part of a cycle, but not those that existed at
`gc.freeze()`. A run freezes what it was made of, so these are the objects that came later, some
hundreds of them in steady state, and counting them takes well under a millisecond.
"""

import gc
import sys
import weakref
from collections import Counter, defaultdict
from typing import NamedTuple

PACKAGE = __name__.partition(".")[0]
FIGURE = "matplotlib.figure.Figure"
_LIVE: dict[str, "weakref.WeakSet[object]"] = defaultdict(weakref.WeakSet)


def track(thing: object, kind: str | None = None) -> None:
    """Counts `thing` as alive under its class name (or `kind`) until it is collected."""
    _LIVE[kind or type(thing).__name__].add(thing)


def untrack(thing: object, kind: str | None = None) -> None:
    """Stops counting a thing that was closed, though something may still refer to it."""
    _LIVE[kind or type(thing).__name__].discard(thing)


def live_counts() -> dict[str, int]:
    """Number of live tracked objects by kind."""
    return {kind: len(things) for kind, things in sorted(_LIVE.items())}


class Census(NamedTuple):
    """Objects younger than the last `gc.freeze()`.

    kinds: by class, e.g. {"Landscape": 8}, of this package; graph_tensors: results that
    keep their graph alive; figures: matplotlib's.
    """

    kinds: dict[str, int]
    graph_tensors: int
    figures: int


def census() -> Census:
    """Counts the objects of this package's classes, tensors with a graph, and figures."""
    torch = sys.modules.get("torch")
    kinds: Counter[str] = Counter()
    graphs = figures = 0
    for thing in gc.get_objects():
        kind = type(thing)
        module = str(kind.__module__)  # a few classes hide it behind a descriptor
        if module.partition(".")[0] == PACKAGE:
            kinds[kind.__name__] += 1
        elif torch is not None and kind is torch.Tensor:
            graphs += thing.grad_fn is not None
        elif f"{module}.{kind.__name__}" == FIGURE:
            figures += 1
    return Census(dict(sorted(kinds.items())), graphs, figures)
