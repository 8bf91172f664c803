"""Jobs of closing barriers are what their page says, and are drawn alike each time."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import closing
import closing_sealed

from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import SHIPPED
from firebreak.planning.methods import METHODS

NOWHERE = Path("no-map-is-read")


@pytest.mark.slow
def test_drawn_towns_can_be_shut_in_and_are_drawn_alike() -> None:
    jobs = [job for _, job in zip(range(4), closing.drawn_towns(NOWHERE), strict=False)]
    again = next(closing.drawn_towns(NOWHERE))
    assert (again.name, again.budget) == (jobs[0].name, jobs[0].budget)
    assert again.barrier.cells.tolist() == jobs[0].barrier.cells.tolist()
    for job in jobs:
        land = job.scene.landscape
        assert 32 <= land.shape[0] <= 64
        assert 0.35 <= job.ratio <= 1.35
        assert land.treatable.ravel()[job.barrier.cells].all()
        houses = land.value >= 1.0
        assert houses.any()
        assert not (houses & land.treatable).any()


@pytest.mark.slow
def test_a_round_town_is_shut_in_and_lines_alone_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the six maps; all of them are measured by the benchmark."""
    job = next(closing.round_towns(NOWHERE))
    saved = {name: closing.measure(job, name, None)["reduction"]
             for name in (closing.CUT, "segments", "enclose")}
    assert saved["enclose"] >= saved[closing.CUT] - 0.01
    assert saved["segments"] >= saved[closing.CUT] - 0.05
    monkeypatch.setitem(METHODS, "segments", METHODS["segments"]._replace(offered=False))
    assert closing.measure(job, "segments", None)["reduction"] <= saved["segments"] - 0.02


@pytest.mark.slow
def test_lookahead_closes_barriers_whose_long_pieces_a_policy_values_little() -> None:
    """Two ragged towns: without trials of the longest pieces it saves 0.54 of both."""
    jobs = [job for _, job in zip(range(3), closing.drawn_towns(NOWHERE), strict=False)]
    for job in (jobs[0], jobs[2]):
        assert closing.measure(job, "dqn-lookahead", load_policy(SHIPPED))["reduction"] > 0.85


def test_budgets_below_a_barrier_close_none() -> None:
    jobs = list(closing.towns_below(NOWHERE, count=4))
    assert [job.name for job in jobs] == [f"below-{k}" for k in range(4)]
    for job in jobs:
        assert job.scene.landscape.shape == (16, 16)
        assert 0.4 < job.ratio < 1.0
        assert not job.scene.landscape.treatable[job.scene.landscape.value == 1.0].any()


def test_tables_pair_methods_by_job_and_leave_out_jobs_that_lack_one() -> None:
    records = [{"job": f"drawn-{k}", "method": method, "reduction": saved + 0.01 * k,
                "seconds": 1.0, "ratio": 0.5 + 0.1 * k}
               for k in range(6) for method, saved in (("segments", 0.2), ("enclose", 0.5))]
    lines = list(closing.tables([*records, {**records[0], "job": "drawn-9"}],
                                ("segments", "enclose")))
    assert lines[0] == "drawn: 6 jobs"
    assert "enclose +0.300 (+0.300 to +0.300)" in lines[1]
    assert "drawn, budget 0 to 0.7: 2 jobs" in lines
    below = [{**record, "job": record["job"].replace("drawn", "below")} for record in records]
    assert next(closing.tables(below, ("segments", "enclose"))) == "below: 6 jobs"


@pytest.mark.slow
def test_sealed_towns_are_fresh_and_come_from_each_stratum() -> None:
    jobs = [job for _, job in zip(range(3), closing.sealed(NOWHERE), strict=False)]
    assert all(job.name.startswith("sealed-61000") for job in jobs)
    assert sorted(sum(low <= job.ratio for low, _ in closing.STRATA) for job in jobs) == [1, 2, 3]


def sealed(job: str, method: str, saved: list[float], seconds: float = 1.0) -> dict:
    return {"job": f"sealed-{job}", "method": method, "by": method, "saved": saved, "ratio": 0.9,
            "reduction": sum(saved) / len(saved), "seconds": seconds}


def test_policies_are_paired_with_their_twins_and_auto_with_methods_as_quick() -> None:
    records = [sealed(job, f"dqn {kind}-{seed}", [level + 0.1 * seed])
               for job in "ab" for seed in range(2)
               for kind, level in (("base", 0.4), ("twin-of-base", 0.1))]
    *_, pooled = closing_sealed.discount_table(closing_sealed.by_method(records))
    assert pooled.startswith("| all | 2 | 0.450 | 0.150 | +0.300 (+0.300 to +0.300); by seed +0.3")
    fires = [0.1 * (k % 3) for k in range(60)]
    records = [sealed("a", "auto", fires, 2.0), sealed("a", "cut", [1.0 + one for one in fires]),
               sealed("a", "segments", [0.5 + 0.9 * one for one in fires]),
               sealed("a", "enclose", [one - 0.2 for one in fires]),
               sealed("a", "dqn-search", [1.0 + 0.9 * one for one in fires], 3.0)]
    found = closing_sealed.by_method(records)
    count, *worse = closing_sealed.single_jobs(found)
    assert count.startswith("2 pairs")
    assert len(worse) == 1
    assert "segments" in worse[0]
