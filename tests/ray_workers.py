"""Workers of a Ray cluster, as tests see them."""

import time


def nodes_of_workers(count: int, most_s: float = 120.0) -> set[str]:
    """The nodes on which `count` workers live, once they do: calls need not wait for the last one.

    Raises:
        AssertionError: they do not come in time.
    """
    from ray._private.state import actors

    until = time.monotonic() + most_s
    while True:
        alive = [actor for actor in actors().values() if actor["State"] == "ALIVE"]
        if len(alive) >= count:
            return {actor["Address"]["NodeID"] for actor in alive}
        assert time.monotonic() < until, f"{len(alive)} of {count} workers after {most_s:g} s"
        time.sleep(0.2)
