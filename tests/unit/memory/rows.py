"""Rows of `memory.jsonl` made by hand."""

from typing import Any

MB = 1_000_000


def row(episode: int, phase: str = "cleanup", **changes: Any) -> dict[str, Any]:
    return {"phase": phase, "episodes": episode, "env_steps": 20 * episode, "rss_bytes": 500 * MB,
            "heap_bytes": 200 * MB, "python_blocks": 10**6, "gpu_bytes": 0, "figures": 0,
            "open_files": 8, "threads": 1, "graph_tensors": 0, "filled": {},
            "owned_bytes": {"trainer.replay.dynamic": 8 * MB}, "items": {}, "live": {},
            "mapped_bytes": {"heap": 200 * MB, "anonymous mappings": 250 * MB,
                             "libtorch_cpu.so": 50 * MB}, "heap_free_bytes": 4 * MB,
            "objects": {"Landscape": 8}, "file_kinds": {"metrics.jsonl": 1},
            "thread_kinds": {"MainThread": 1}} | changes


def series(count: int = 30, **functions: Any) -> list[dict[str, Any]]:
    """A run of full readings every ten episodes; functions of the episode replace values."""
    return [row(0, "baseline"), *(
        row(e, **{name: make(e) for name, make in functions.items()})
        for e in range(10, 10 * count + 10, 10))]
