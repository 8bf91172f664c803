"""The ablation's table: which runs are paired, and what the intervals are made of."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import ablation

from tiny import TINY


def row(variant, seed, returns):
    return {"variant": variant, "seed": seed, "returns": returns, "cpu_seconds": 1.0}


ROWS = [row("base", 0, [0.1, 0.3]), row("base", 1, [0.2, 0.2]), row("base", 2, [0.9, 0.9]),
        row("better", 0, [0.2, 0.5]), row("better", 1, [0.4, 0.5]),
        row("other", 0, [0.1, 0.1]), row("other", 1, [0.1, 0.5]), row("alone", 7, [0.1, 0.1])]


def test_the_difference_and_its_interval_by_hand() -> None:
    found = ablation.returns_by_variant(ROWS)
    # Seeds' mean differences: better 0.15 and 0.25, other -0.1 and 0.1; two degrees of freedom.
    variance, freedom = ablation.seed_variance(found)
    assert (variance, freedom) == (pytest.approx((2 * 0.05**2 + 2 * 0.1**2) / 2), 2)
    better = ablation.difference(found, "better")
    assert better is not None
    assert better.mean == pytest.approx(0.2)
    # Landscapes differ by 0.15 and 0.25 in the mean over seeds.
    spread = np.sqrt(variance / 2 + 0.1**2 / 2 / 2)
    assert better.half_width == pytest.approx(stats.t.ppf(0.975, 2) * spread)
    bounds = ablation.over_maps(found, "better")
    assert bounds is not None
    half = stats.t.ppf(0.975, 1) * 0.1 / np.sqrt(2) / np.sqrt(2)
    assert bounds == pytest.approx((0.2 - half, 0.2 + half))


def test_a_variant_without_a_seed_of_the_base_has_no_difference() -> None:
    found = ablation.returns_by_variant(ROWS)
    assert ablation.difference(found, "alone") is None
    assert ablation.over_maps(found, "alone") is None
    lines = ablation.table(ROWS).split("\n")
    assert lines[2].startswith("| base | 3 | 0.4333 | 0.2000 - 0.9000 |  |")
    assert lines[3].startswith("| better | 2 | 0.4000 | 0.3500 - 0.4500 | +0.2000 ± ")
    assert lines[-1].startswith("| alone | 1 | 0.1000 | 0.1000 - 0.1000 |  |")


@pytest.mark.slow
def test_finished_runs_are_not_run_again(tmp_path, monkeypatch, capsys) -> None:
    out = tmp_path / "ablation.jsonl"
    arguments = ["ablation.py", "--out", str(out), "--episodes", "8", "--seeds", "1",
                 "--add", "wide:agent.width=12,agent.discount=0.9,agent.twin=true",
                 "--judged-at", "0.5", "1",
                 "--variants", "base", "wide"]
    for change in TINY:
        arguments += ["--set", change]
    monkeypatch.setattr(sys, "argv", arguments)
    ablation.main()
    rows = ablation.read_rows(out)
    assert [(r["variant"], r["seed"], len(r["returns"])) for r in rows] == [
        ("base", 0, 3), ("twin of wide", 0, 3), ("wide", 0, 3)]
    assert rows[0]["env_steps"] == rows[1]["env_steps"] == rows[2]["env_steps"] > 0
    for name in ("returns", "first_value"):
        assert len({str(r[name]) for r in rows}) == 3
    assert all(0.0 < r["first_value"] < 1.0 for r in rows)
    assert "| wide | 1 |" in capsys.readouterr().out
    whole = out.read_bytes()
    out.write_bytes(whole[:-30])  # killed while the second run's line was written
    ablation.main()
    again = ablation.read_rows(out)
    assert again[0] == rows[0]
    assert [again[-1][name] for name in ("variant", "returns")] == ["wide", rows[2]["returns"]]
    ablation.main()
    assert ablation.read_rows(out) == again


def test_bad_variants_are_named_in_a_sentence(monkeypatch, capsys) -> None:
    for arguments in (["--variants", "unheard-of"], ["--add", "nothing"]):
        monkeypatch.setattr(sys, "argv", ["ablation.py", *arguments])
        with pytest.raises(SystemExit):
            ablation.main()
        assert "expected" in capsys.readouterr().err


def test_a_screen_has_every_pair_of_variants_in_balance() -> None:
    sets = [set(one.split("+")) for one in ablation.screen(ablation.SCREENED)]
    mirrored = [set(one.split("+")) for one in ablation.screen(ablation.SCREENED, mirrored=True)]
    assert len(sets) == 12
    assert all(other == set(ablation.SCREENED) - one
               for one, other in zip(sets, mirrored, strict=True))
    for one in ablation.SCREENED:
        assert sum(one in run for run in sets) == 6
        for other in set(ablation.SCREENED) - {one}:
            assert sum({one, other} <= run for run in sets) == 3


def test_effects_of_variants_that_add_up_are_found_exactly() -> None:
    names = tuple("abcdefghijk")  # eleven: nothing is left to tell noise by
    adds = {name: np.array([k, -k, 2.0]) / 100 for k, name in enumerate(names)}
    adds["base"] = np.zeros(3)
    rows = [row(one, seed, list(0.3 + seed / 10 + sum(adds[name] for name in one.split("+"))))
            for seed, sets in ((0, [*ablation.screen(names), "base"]),
                               (1, ["b", "base"])) for one in sets]
    found = ablation.effects(rows)
    assert ablation.effects([*rows, row("twin of b", 0, [0.9] * 3)]) == found
    for name, effect in found.items():
        assert effect.mean == pytest.approx(adds[name].mean())
        spread = adds[name].std(ddof=1) / np.sqrt(3)
        assert effect.half_width == pytest.approx(stats.t.ppf(0.975, 2) * spread)
    assert found.keys() == set(names)
    assert "| b | 7 | +" in ablation.effects_table(rows)
    assert ablation.effects(rows[:12]) == {}


def test_the_noise_of_runs_widens_an_effect() -> None:
    rows = [row("base", 0, [0.2, 0.2]), row("base", 0, [0.4, 0.4]), row("one", 0, [0.5, 0.5]),
            row("base", 1, [0.9, 0.9])]
    effect = ablation.effects(rows)["one"]
    # Means 0.3 of two and 0.5 of one; the residuals' variance is 0.02 with one degree of freedom.
    # The other seed has no part in it.
    assert effect.mean == pytest.approx(0.2)
    assert effect.half_width == pytest.approx(stats.t.ppf(0.975, 1) * np.sqrt(0.02 * 1.5))
