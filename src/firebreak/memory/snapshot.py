"""One reading of what a process and its roots hold, as a plain row."""

from typing import Any

from firebreak.memory.census import census
from firebreak.memory.owned import owned, package_globals
from firebreak.memory.process import gpu_row, heap_row, process_row
from firebreak.memory.registry import live_counts

PACKAGE = "firebreak"
SINGLE = ("rss_bytes", "heap_bytes", "python_blocks", "gpu_bytes", "figures", "open_files",
          "threads", "graph_tensors", "children")
"""Quantities of a row that are one number each."""
_MAPS = ("owned_bytes", "items", "live", "objects", "file_kinds", "thread_kinds", "filled",
         "bounded_objects")


def reading(roots: dict[str, object], without: tuple[object, ...] = ()) -> dict[str, Any]:
    """Memory of process, children and GPU, bytes and entries by owner, objects, files, threads.

    Args:
        roots: named objects that are walked, besides what the package's modules hold.
        without: things not to look into.
    """
    held = owned({**roots, **package_globals(PACKAGE)}, without)
    counted = census(PACKAGE)
    return {
        **process_row(), **heap_row(), **gpu_row(), "owned_bytes": held.bytes,
        "items": held.items, "filled": held.filled, "bounded_bytes": held.bounded.bytes,
        "bounded_blocks": held.bounded.blocks, "bounded_objects": held.bounded.objects,
        "live": live_counts(), "objects": counted.kinds, "graph_tensors": counted.graph_tensors,
        "figures": max(counted.figures, live_counts().get("Figure", 0))}


def summary(row: dict[str, Any]) -> dict[str, Any]:
    """A reading without its owners, but with the bytes of all of them."""
    return {name: value for name, value in row.items() if name not in _MAPS} | {
        "owned_total_bytes": sum(row["owned_bytes"].values())}
