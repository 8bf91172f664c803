"""Resident memory in short and long runs: a leak, constant, or not judged."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from firebreak.memory.explain import describe_growth, describe_verdict, last_line, to_json
from firebreak.memory.trend import STEPS_FOR_LONG, TOLERATED
from firebreak.memory.verdict import NOT_JUDGED, Verdict, judge
from unit.memory.rows import MB, series

Bytes = Callable[[int], float]
KB = 1_000


def with_sorts(count: int = 30, free: Bytes = lambda e: 4 * MB, **grown: Bytes) -> Verdict:
    """The verdict on a run whose sorts of mappings grow by what the functions give at an episode:
    heap, anonymous, library, journal.
    """
    def sorts(e: int) -> dict[str, float]:
        more = {name: make(e) for name, make in grown.items()}
        return {"heap": 200 * MB + more.get("heap", 0),
                "anonymous mappings": 250 * MB + more.get("anonymous", 0),
                "libtorch_cpu.so": 50 * MB + more.get("library", 0),
                "/runs/a/journal#.bin": more.get("journal", 0)}
    return judge(series(count, mapped_bytes=sorts, heap_free_bytes=free,
                        rss_bytes=lambda e: sum(sorts(e).values())))


@pytest.mark.parametrize(("name", "owner"), [
    ("anonymous", "anonymous mappings"), ("heap", "heap"), ("journal", "/runs/a/journal#.bin"),
    ("library", "libtorch_cpu.so")])
@pytest.mark.parametrize("kb", [12, 230])
def test_native_growth_of_a_short_run_is_a_leak_of_its_sort(name: str, owner: str, kb: int) -> None:
    verdict = with_sorts(**{name: lambda e: kb * KB * e})
    assert (verdict.state, verdict.rss_judged) == ("leak", True)
    assert [(g.owner, g.kind) for g in verdict.growths] == [(owner, "mapped_bytes")]
    assert verdict.growths[0].per_episode == pytest.approx(kb * KB, rel=0.01)
    assert owner in describe_growth(verdict.growths[0])


def test_a_short_run_is_ok_below_the_tolerated_rate_only() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.3 * MB, size=1000)
    assert with_sorts(anonymous=lambda e: 2 * KB * e + noise[e]).state == "ok"
    assert with_sorts(anonymous=lambda e: 8 * KB * e + 20 * noise[e]).state == NOT_JUDGED
    assert with_sorts(anonymous=lambda e: 40 * KB * e + noise[e]).state == "leak"


def test_what_the_c_library_holds_free_hides_nothing() -> None:
    """As in training: it goes up and down by megabytes from one reading to the next."""
    rng = np.random.default_rng(1)
    held = rng.uniform(0.0, 20 * MB, size=1000)
    quiet = with_sorts(heap=lambda e: held[e], free=lambda e: held[e])
    assert (quiet.state, quiet.rss_most) == ("ok", 0.0)
    assert quiet.rss.high > TOLERATED  # of all of resident memory, shown beside it
    assert last_line(quiet).endswith("as judged at most +0.00)")
    leak = with_sorts(heap=lambda e: held[e] + 15 * KB * e, free=lambda e: held[e])
    assert leak.state == "leak"
    assert with_sorts(heap=lambda e: held[e], free=lambda e: 0.0).state == NOT_JUDGED


def test_blocks_that_move_from_mappings_to_the_heap_are_no_leak() -> None:
    moved = with_sorts(heap=lambda e: 50 * KB * e, anonymous=lambda e: -50 * KB * e)
    assert moved.state == "ok"


def test_files_that_the_system_drops_hide_no_leak() -> None:
    verdict = with_sorts(anonymous=lambda e: 50 * KB * e, library=lambda e: -60 * KB * e)
    assert verdict.rss.slope < 0
    assert verdict.growths[0].owner == "anonymous mappings"


@pytest.mark.parametrize("sorts", [None, {}, "absent"])
def test_a_short_run_without_sorts_of_mappings_is_not_judged(sorts: Any) -> None:
    """So are the logs of versions that did not read them, and of systems that do not tell."""
    rows = series(mapped_bytes=lambda e: sorts)
    if sorts == "absent":
        rows = [{name: value for name, value in row.items()
                 if name not in ("mapped_bytes", "heap_free_bytes")} for row in rows]
    verdict = judge(rows)
    assert (verdict.state, verdict.rss_judged) == (NOT_JUDGED, False)
    assert describe_verdict(verdict, rows).splitlines()[-1].startswith(
        f"verdict: not judged (below {STEPS_FOR_LONG:,} env steps")
    assert to_json(verdict)["verdict"] == "not judged"
    grown = judge([row | {"items": {"trainer.kept": row["episodes"]}} for row in rows])
    assert (grown.state, grown.rss_judged) == ("leak", False)  # what is exact is judged anyway


def test_a_long_run_is_judged_with_and_without_sorts() -> None:
    def resident(rate: float) -> list[dict[str, Any]]:
        return series(101, rss_bytes=lambda e: 500 * MB + rate * e, mapped_bytes=lambda e: None)
    assert judge(resident(0.0)).state == "ok"
    leak = judge(resident(TOLERATED))
    assert (leak.state, leak.rss_judged) == ("leak", True)
    assert [(g.owner, g.kind) for g in leak.growths] == [("the process", "rss_bytes")]
    found = with_sorts(101, anonymous=lambda e: 8 * KB * e)
    assert [(g.owner, g.kind) for g in found.growths] == [("anonymous mappings", "mapped_bytes")]
    assert with_sorts(30, anonymous=lambda e: 8 * KB * e).state == "ok"  # for a short one tolerated


def test_a_long_run_that_may_grow_fast_is_not_judged() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(scale=40 * MB, size=2000)
    rows = series(101, rss_bytes=lambda e: 500 * MB + noise[e], mapped_bytes=lambda e: None)
    verdict = judge(rows)
    assert (verdict.state, verdict.rss_judged) == (NOT_JUDGED, False)
    assert "may grow by up to" in verdict.reason


def test_one_small_step_anywhere_is_no_reason_for_doubt_and_a_large_or_second_one_is() -> None:
    """As where learning goes on with other data in the middle of the preset quick: 1 MB."""
    for begin in range(110, 300, 10):
        assert with_sorts(anonymous=lambda e: (e >= begin) * 1.9 * MB).state == "ok"  # noqa: B023
    assert with_sorts(anonymous=lambda e: (e >= 200) * 25 * MB).state == NOT_JUDGED
    assert with_sorts(anonymous=lambda e: ((e >= 160) * 1.9 + (e >= 230) * 1.9) * MB
                      ).state == NOT_JUDGED


def test_memory_that_settles_is_not_called_ok() -> None:
    settling = with_sorts(anonymous=lambda e: 60 * MB * (1 - np.exp(-e / 80)))
    assert settling.state == NOT_JUDGED
    assert [g.state for g in settling.growths] == ["filling"]


def test_memory_of_child_processes_is_judged() -> None:
    """A run whose own memory stays the same while its workers grow is no run of constant memory."""
    rng = np.random.default_rng(3)
    noise = rng.normal(scale=0.3 * MB, size=2000)

    def verdict(children: Bytes, count: int = 30) -> Verdict:
        rows = series(count, children_bytes=children)
        return judge([row | {"children": 2} for row in rows])
    for count in (30, 101):
        leak = verdict(lambda e: 480 * MB + 87 * KB * e + noise[e], count)
        assert (leak.state, [(g.owner, g.kind) for g in leak.growths]) == (
            "leak", [("child processes", "children_bytes")])
        assert leak.growths[0].per_episode == pytest.approx(87 * KB, rel=0.1)
        assert "processes that the run has started keep memory" in describe_growth(leak.growths[0])
        assert verdict(lambda e: 480 * MB + 0.1 * noise[e], count).state == "ok"
    unsure = verdict(lambda e: 480 * MB + 8 * KB * e + 20 * noise[e])
    assert (unsure.state, unsure.rss_judged) == (NOT_JUDGED, False)
    assert "child processes may grow by up to" in unsure.reason


def test_what_leaks_in_the_process_hides_no_leak_in_a_child() -> None:
    rows = series(30, children_bytes=lambda e: 50 * KB * e, mapped_bytes=lambda e: {
        "heap": 200 * MB + 50 * KB * e})
    assert {g.kind for g in judge(rows).growths if g.state == "leak"} == {
        "children_bytes", "mapped_bytes"}
