"""Commands as tests run them (what they say of their progress is tested elsewhere), and a cluster.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ray_workers import TwoNodes


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that compiles kernels first takes longer than a line of progress is apart; tests
    count the lines of errors.
    """
    monkeypatch.setattr("firebreak.api.shared.progress.LINE_EVERY_S", 1e9)


@pytest.fixture(autouse=True)
def few_choice_fires(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty fires choose among plans of several methods, where thousands distinguish them."""
    monkeypatch.setattr("firebreak.planning.core.fire_counts.FEWEST_CHOICE", 60)
    monkeypatch.setattr("firebreak.planning.core.fire_counts.PER_PLAN_FIRE", 2)


@pytest.fixture
def small_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that need the files of pictures and look into none."""
    from pictures import draw_few_pixels

    draw_few_pixels(monkeypatch)


@pytest.fixture
def no_simulation_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that read the rasters of a simulation; its pictures take a second."""
    monkeypatch.setattr("firebreak.report.pages.run_report.write_simulation_report",
                        lambda *_args, **_options: [])


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[TwoNodes]:
    """A Ray cluster of two nodes that ends with the test."""
    pytest.importorskip("ray")
    import ray

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # Nodes start with this environment and must find what workers hold here.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(
        [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    found = TwoNodes()
    monkeypatch.setenv("RAY_ADDRESS", found.cluster.address)
    yield found
    ray.shutdown()
    found.cluster.shutdown()
