"""Live objects, counted without keeping them alive."""

import weakref
from collections import defaultdict

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
