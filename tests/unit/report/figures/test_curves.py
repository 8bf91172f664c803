"""Curves: rows in, what the lines hold; methods sorted with their intervals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

from firebreak.checks import InputError
from firebreak.memory.registry import live_counts
from firebreak.report.figures.canvas import close_figure, save_figure
from firebreak.report.figures.curves import (
    comparison_figure,
    learning_curve_figure,
    runs_figure,
    spread_labels,
    without_replayed,
)
from firebreak.report.figures.memory_timeline import memory_figure, owned_by_part

METHODS = {"random": {"reduction": 0.09, "low": 0.08, "high": 0.1},
           "dqn": {"reduction": 0.39, "low": 0.37, "high": 0.41},
           "downstream-value": {"reduction": 0.35, "low": 0.33, "high": 0.36}}


def progress(episodes: int) -> dict[str, Any]:
    return {"kind": "progress", "episodes": episodes, "epsilon": 0.5, "discount": 0.0,
            "mean_return": 0.1 if episodes else None, "loss": 0.3 if episodes > 5 else None,
            "rss_bytes": 500_000_000 + episodes}


def validation(episodes: int) -> dict[str, Any]:
    return {"kind": "validation", "episodes": episodes, "reduction": 0.3, "half_width": 0.02,
            "best": 0.3}


def memory(episodes: int) -> dict[str, Any]:
    return {"kind": "memory", "phase": "cleanup", "episodes": episodes, "rss_bytes": 500_000_000,
            "owned_bytes": {"env.value": 10, "replay.dynamic": 300, "replay.static": 100},
            "live": {"Figure": 0, "Replay": 1}}


@pytest.mark.slow
def test_curves_are_written_and_closed(tmp_path: Path) -> None:
    rows = [progress(k) for k in range(12)]
    figures = {
        "learning": learning_curve_figure(rows, [validation(10)], {"random": 0.09}, caption="c"),
        "unvalidated": learning_curve_figure(rows[:2], [], {}, caption="c"),
        "memory": memory_figure([memory(0), memory(10)], caption="c"),
        "one": memory_figure([memory(0)], caption="c"),
        "comparison": comparison_figure(METHODS, caption="c"),
    }
    for name, figure in figures.items():
        assert save_figure(figure, tmp_path / f"{name}.png").stat().st_size > 10_000
    assert live_counts()["Figure"] == 0


def test_a_twin_is_drawn_beside_the_network_that_it_is_the_twin_of() -> None:
    rows = [validation(k) for k in (0, 10)]
    with_twin = [row | {"twin_reduction": 0.1, "twin_half_width": 0.01} for row in rows]
    for own, lines in ((rows, 1), (with_twin, 2)):
        figure = learning_curve_figure([progress(0)], own, {}, caption="c")
        drawn = {line.get_label(): line.get_ydata().tolist() for line in figure.axes[0].lines
                 if line.get_label().startswith(("validation", "its twin"))}
        assert len(drawn) == lines
        assert set(map(tuple, drawn.values())) == {(0.3, 0.3), (0.1, 0.1)} or lines == 1
        close_figure(figure)


def test_methods_are_sorted_best_on_top() -> None:
    figure = comparison_figure(METHODS, caption="c")
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["random", "downstream-value", "dqn"]
    shown = " ".join(text.get_text() for text in figure.findobj(Text))
    assert "39.0%  (37.0% to 41.0%)" in shown
    close_figure(figure)


def test_baselines_are_labelled_lines() -> None:
    figure = learning_curve_figure([progress(k) for k in range(4)], [], {"random": 0.09,
                                   "downstream-value": 0.35}, caption="c")
    shown = [text.get_text() for text in figure.findobj(Text)]
    assert {"random 9.0%", "downstream-value 35.0%"} <= set(shown)
    assert figure.axes[0].get_ylim()[1] > 0.35
    close_figure(figure)


def test_rows_repeated_after_a_checkpoint_replace_the_first_ones() -> None:
    rows = [{"episodes": e, "n": n} for n, e in enumerate((0, 5, 10, 15, 8, 12))]
    assert [row["n"] for row in without_replayed(rows)] == [0, 1, 4, 5]
    assert without_replayed([]) == []


def test_bytes_are_summed_by_part_largest_first() -> None:
    names, owned = owned_by_part([memory(0), {"owned_bytes": {"env.value": 30}}])
    assert names == ["replay", "env"]
    assert owned.tolist() == [[400.0, 0.0], [10.0, 30.0]]


@pytest.mark.parametrize("heights", [[0.5, 0.5, 0.5], [0.9, 0.1, 0.12], [0.3]])
def test_labels_keep_apart_in_order(heights: list[float]) -> None:
    placed = spread_labels(np.array(heights), 0.05)
    assert (np.diff(np.sort(placed)) >= 0.05 - 1e-12).all()
    assert (placed >= heights).all()
    assert placed[np.argmin(heights)] == min(heights)


def rows(kind: str, column: str, points: list[tuple[int, float | None]]) -> list[dict[str, Any]]:
    return [{"kind": kind, "episodes": episodes, column: value} for episodes, value in points]


RUNS = {name: [*rows("validation", "reduction", own), *rows("progress", "mean_return", own)]
        for name, own in (("a", [(0, 0.0), (10, 0.2), (20, 0.4)]), ("b", [(5, 0.1), (25, 0.3)]),
                          ("c", [(0, 0.3), (10, None), (30, 0.3)]))}


def test_curves_of_runs_have_their_median_and_range() -> None:
    """At the episodes that all three reach, 5 to 20, read off between a run's own points."""
    figure = runs_figure(RUNS, {"random": 0.09}, caption="c")
    for axes in figure.axes:
        median = next(line for line in axes.lines if "median" in str(line.get_label()))
        assert median.get_xdata().tolist() == [5, 10, 20]
        assert median.get_ydata() == pytest.approx([0.1, 0.2, 0.3])
        (band,) = axes.collections
        lowest, highest = band.get_paths()[0].vertices[:, 1].min(), band.get_paths()[0].vertices[
            :, 1].max()
        assert (lowest, highest) == pytest.approx((0.1, 0.4))
    assert "random 9.0%" in [text.get_text() for text in figure.findobj(Text)]
    close_figure(figure)


@pytest.mark.parametrize(("more", "words"), [
    ([], "expected rows of kind validation, got none"),
    (rows("validation", "reduction", [(20, 0.1), (40, 0.2)]), "two episodes in common, got 1")])
def test_runs_that_cannot_be_drawn_together_are_refused(more: list[Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        runs_figure({**RUNS, "d": more}, {}, caption="c")
    assert live_counts()["Figure"] == 0
