"""Robust slopes with intervals, and verdicts on rows made by hand."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.memory.explain import describe_verdict, to_json
from firebreak.memory.trend import after_warm_up, bootstrapped, trend
from firebreak.memory.verdict import READINGS_NEEDED, TOO_SHORT, judge, last_stretch
from unit.memory.rows import MB, row, series

X = np.arange(0.0, 400.0, 10.0)


@given(st.floats(-1e3, 1e3), st.floats(-1e6, 1e6), st.integers(3, 60))
def test_a_line_has_its_own_slope_and_no_width(slope: float, level: float, count: int) -> None:
    x = np.arange(float(count))
    found = trend(x, level + slope * x)
    assert found.slope == pytest.approx(slope, rel=1e-6, abs=1e-6)
    assert found.low == pytest.approx(found.high, rel=1e-6, abs=1e-6)


def test_the_slope_is_the_median_of_all_pairwise_slopes() -> None:
    rng = np.random.default_rng(0)
    x, y = np.arange(9.0), rng.normal(size=9)
    pairs = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(9) for j in range(i + 1, 9)]
    assert trend(x, y).slope == pytest.approx(np.median(pairs))


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        found = trend(X, 0.3 * X + rng.normal(scale=20.0, size=X.size))
        held += found.low <= 0.3 <= found.high
    assert 0.91 <= held / 400 <= 0.995


@pytest.mark.slow
def test_the_block_bootstrap_holds_the_truth_where_neighbours_resemble_one_another() -> None:
    rng = np.random.default_rng(3)
    held = 0
    x = np.arange(0.0, 1000.0, 5.0)
    for _ in range(120):
        noise = np.zeros(x.size)
        for k in range(1, x.size):
            noise[k] = 0.6 * noise[k - 1] + rng.normal()
        low, high = bootstrapped(x, 0.3 * x + noise)
        held += low <= 0.3 <= high
        assert low < high
    assert 0.85 <= held / 120 <= 0.99


def test_the_block_bootstrap_of_a_line_is_the_line() -> None:
    assert bootstrapped(X, 5.0 + 2.0 * X) == pytest.approx((2.0, 2.0))
    assert bootstrapped(X[:2], X[:2]) == bootstrapped(np.ones(9), np.ones(9)) == (0.0, 0.0)


def test_one_outlier_moves_nothing_and_one_step_is_no_trend() -> None:
    y = np.zeros(X.size)
    y[17] = 1e9
    assert trend(X, y)[:3] == (0.0, 0.0, 0.0)
    y = np.where(X < 190, 0.0, 8e6)
    assert trend(X, y).low == 0.0


def test_a_staircase_is_a_trend_and_growth_that_fades_does_not_go_on() -> None:
    stairs = trend(X, np.floor(X / 70.0))
    assert stairs.low > 0.0
    assert stairs.going_on
    fading = trend(X, 1.0 - np.exp(-X / 50.0))
    assert fading.low > 0.0
    assert not fading.going_on


def test_the_first_third_of_the_episodes_is_warm_up() -> None:
    assert X[after_warm_up(X)][0] == 130.0
    assert after_warm_up(np.zeros(0)).size == 0


def test_constant_rows_are_ok() -> None:
    verdict = judge(series())
    assert verdict.state == "ok"
    assert verdict.growths == []
    assert verdict.episodes == 300


def test_too_few_readings_are_never_ok() -> None:
    rows = series(READINGS_NEEDED - 1, owned_bytes=lambda e: {"trainer.kept": e * MB})
    assert judge(rows).state == TOO_SHORT
    assert judge([]).state == TOO_SHORT
    assert judge(series(READINGS_NEEDED)).state == "ok"
    assert TOO_SHORT in describe_verdict(judge(rows), rows).splitlines()[-1]


@pytest.mark.parametrize(("name", "make", "owner", "kind", "per_episode"), [
    ("owned_bytes", lambda e: {"trainer.kept[]": 5000 * e}, "trainer.kept[]", "owned_bytes", 5000),
    ("items", lambda e: {"trainer.env.seen": 3 * e}, "trainer.env.seen", "items", 3),
    ("objects", lambda e: {"Landscape": 8 + e}, "Landscape", "objects", 1),
    ("live", lambda e: {"Replay": 1 + e // 30}, "Replay", "live", 1 / 30),
    ("figures", lambda e: e // 30, "figures", "figures", 1 / 30),
    ("graph_tensors", lambda e: 2 * e, "tensors", "graph_tensors", 2),
    ("python_blocks", lambda e: 10**6 + 90 * e, "the process", "python_blocks", 90),
    ("heap_bytes", lambda e: 10 * MB + 9000 * e, "the process", "heap_bytes", 9000),
])
def test_each_kind_of_growth_is_a_leak_of_its_owner(
        name: str, make: Any, owner: str, kind: str, per_episode: float) -> None:
    verdict = judge(series(**{name: make}))
    assert verdict.state == "leak"
    growth = verdict.growths[0]
    assert (growth.owner, growth.kind) == (owner, kind)
    assert growth.per_episode == pytest.approx(per_episode, rel=0.15)
    assert growth.low <= growth.per_episode <= growth.high


def test_descriptors_and_threads_are_named_by_what_they_are() -> None:
    verdict = judge(series(
        open_files=lambda e: 8 + e // 20, threads=lambda e: 1 + e // 20,
        file_kinds=lambda e: {"metrics.jsonl": 1, "socket:[#]": e // 20},
        thread_kinds=lambda e: {"MainThread": 1, "uploader-#": e // 20}))
    assert {(g.kind, g.owner) for g in verdict.growths} == {
        ("open_files", "socket:[#]"), ("threads", "uploader-#")}


def test_the_first_episode_is_where_growth_began_for_good() -> None:
    rows = series(owned_bytes=lambda e: {"trainer.kept": MB + max(e - 100, 0) * 5000})
    assert judge(rows).growths[0].first_episode == 110


def test_the_phase_is_the_one_that_adds_each_time_it_is_read() -> None:
    rows = series(owned_bytes=lambda e: {"trainer.kept": 5000 * e})
    for e in range(10, 300, 10):
        rows.append(row(e, "collect", grown={"heap_bytes": 70_000}))
        rows.append(row(e, "learn", grown={"owned_bytes:trainer.kept": 5000}))
    assert judge(sorted(rows, key=lambda r: r["episodes"])).growths[0].phase == "learn"


def test_a_buffer_that_is_not_yet_full_is_filling() -> None:
    def owned(e: int) -> dict[str, int]:
        return {"trainer.replay.rows": e * MB // 10}
    def growing(e: int) -> int:
        return 300 * MB + e * MB // 10
    filling = series(owned_bytes=owned, heap_bytes=growing,
                     filled=lambda e: {"trainer.replay": e / 400})
    verdict = judge(filling)
    assert verdict.state == "filling"
    assert {g.kind for g in verdict.growths} == {"owned_bytes"}  # the heap's growth is the buffer's
    full = series(owned_bytes=owned, heap_bytes=growing, filled=lambda e: {"trainer.replay": 1.0})
    assert judge(full).state == "leak"
    other = series(owned_bytes=lambda e: owned(e) | {"trainer.replay_kept": 9000 * e},
                   filled=lambda e: {"trainer.replay": e / 400})
    assert [g.owner for g in judge(other).growths if g.state == "leak"] == ["trainer.replay_kept"]


def test_growth_that_fades_is_filling() -> None:
    rows = series(60, heap_bytes=lambda e: 200 * MB + int(9 * MB * (1 - np.exp(-e / 100))))
    assert judge(rows).state in ("ok", "filling")
    fading = series(60, owned_bytes=lambda e: {"trainer.cache": int(
        9 * MB * (1 - np.exp(-e / 100)))})
    assert judge(fading).state == "filling"


@pytest.mark.parametrize(("per_episode", "states"), [(0, {"ok": 200}), (400_000, {"leak": 200})])
def test_maps_that_are_replaced_by_others_are_no_leak_and_hide_none(
        per_episode: int, states: dict[str, int]) -> None:
    found: Counter[str] = Counter()
    for seed in range(200):
        # Sizes of the maps that four environments hold, some of which each reading sees again.
        rng = np.random.default_rng(seed)
        sizes = rng.choice([10, 20, 40, 80], size=(4, 100))
        stays = rng.random((4, 100)) < 0.6
        for column in range(1, 100):
            sizes[:, column] = np.where(stays[:, column], sizes[:, column - 1], sizes[:, column])
        held = sizes.sum(axis=0)
        found[judge(series(90, owned_bytes=lambda e, held=held: {
            "trainer.env.maps": int(held[e // 10]) * MB // 4 + per_episode * e})).state] += 1
    assert found == states


def test_only_the_last_stretch_of_a_resumed_run_is_judged() -> None:
    before = series(owned_bytes=lambda e: {"trainer.kept": 5000 * e})
    after = [row(e, "baseline" if e == 300 else "cleanup") for e in range(300, 500, 10)]
    assert judge(before).state == "leak"
    assert judge(before + after).state == "ok"
    assert last_stretch(before + after) == after
    verdict = judge(before + after)
    assert (verdict.episodes, verdict.env_steps) == (490 - 300, 20 * (490 - 300))


def test_a_verdict_without_the_c_heap_is_still_one() -> None:
    assert judge(series(heap_bytes=lambda e: None)).state == "ok"


def test_the_report_says_phase_owner_rate_and_remedy() -> None:
    rows = series(figures=lambda e: e // 30)
    rows += [row(e, "evaluate", grown={"figures": 1}) for e in range(30, 300, 30)]
    rows.sort(key=lambda r: r["episodes"])
    verdict = judge(rows)
    shown = describe_verdict(verdict, rows)
    assert "leak: figures" in shown
    assert "in phase 'evaluate'" in shown
    assert "close" in shown
    assert shown.splitlines()[-1].startswith("verdict: leak (300 episodes, 6,000 env steps")
    content = to_json(verdict)
    assert content["verdict"] == "leak"
    assert content["owners"][0]["owner"] == "figures"
    assert {"slope_bytes_per_episode", "low", "high", "rss_judged"} <= content.keys()
