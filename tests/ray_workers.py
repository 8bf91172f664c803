"""A Ray cluster of two nodes, and its workers as tests see them."""

import time
from collections.abc import Callable


class TwoNodes:
    """A cluster of two nodes of one CPU each; the second can be killed."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={
            "num_cpus": 1, "include_dashboard": False, "object_store_memory": 100_000_000})
        self.second = self.cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
        self.cluster.wait_for_nodes()

    def kill_second(self) -> None:
        self.cluster.remove_node(self.second, allow_graceful=False)


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
