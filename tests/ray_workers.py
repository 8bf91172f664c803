"""Workers of a Ray cluster, as tests see them."""

import time
from collections.abc import Callable


def nodes_of_workers(wanted: Callable[[int], bool], most_s: float = 120.0) -> set[str]:
    """The nodes on which workers live, once the number of those that live is wanted: calls need not
    wait for the last one to begin, and one may outlive its node for some seconds.

    Raises:
        AssertionError: it never is.
    """
    from ray._private.state import actors

    until = time.monotonic() + most_s
    while True:
        alive = [actor for actor in actors().values() if actor["State"] == "ALIVE"]
        if wanted(len(alive)):
            return {actor["Address"]["NodeID"] for actor in alive}
        assert time.monotonic() < until, f"{len(alive)} workers after {most_s:g} s"
        time.sleep(0.2)
