"""benchmarks/returns.py: what its table says of records whose answer is known, and its records."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import returns


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returns, "DRAWS", 60)


def records_of(found: np.ndarray) -> list[dict[str, object]]:
    """Records of returns [states, 3, 8], three states a map; values fall, gains rise."""
    return [{"map": state // 3, "value": list(range(8, 0, -1)), "gain": list(range(8)),
             "returns": found[state].tolist()} for state in range(len(found))]


def numbers(cell: str) -> list[float]:
    return [float(word) for word in cell.replace("(", " ").replace(")", " ").split()
            if word != "to"]


def test_returns_that_every_plan_gives_alike_are_the_lines_own() -> None:
    own = np.random.default_rng(0).normal(size=(30, 1, 8))
    head, rows = returns.table(records_of(np.repeat(own, 3, axis=1)))
    assert len(head) == len(rows[0]) == len(rows[1]) == 7
    for row, count in zip(rows, (8, 4), strict=True):
        part = own[:, 0, :count]
        assert numbers(row[1])[0] == pytest.approx(
            float(np.sqrt(part.var(axis=1, ddof=1).mean())), abs=1e-3)
        assert numbers(row[2]) == [1.0, 1.0, 1.0]
        best = float((part.max(axis=1) - part[:, 0]).mean())
        assert numbers(row[5])[0] == numbers(row[6])[0] == pytest.approx(best, abs=1e-3)


def test_returns_by_chance_are_nobodys_own_and_choosing_gains_nothing() -> None:
    found = np.random.default_rng(1).normal(size=(600, 3, 8))
    for row in returns.table(records_of(found))[1]:
        for place in (2, 3, 4, 5, 6):
            middle, low, high = numbers(row[place])
            assert low < middle < high
            assert abs(middle) < 0.12


def test_the_share_of_a_mixture_is_that_of_its_parts() -> None:
    draw = np.random.default_rng(2)
    found = draw.normal(0, 1.0, (600, 1, 8)) + draw.normal(0, 2.0, (600, 3, 8))
    middle, low, high = numbers(returns.table(records_of(found))[1][0][2])
    assert low < middle < high
    assert middle == pytest.approx(0.2, abs=0.05)


def test_values_that_order_the_returns_have_rank_correlation_one() -> None:
    falling = np.tile(np.arange(8.0)[::-1], (6, 3, 1))
    row = returns.table(records_of(falling))[1][0]
    assert numbers(row[3])[0] == 1.0
    assert numbers(row[4])[0] == -1.0


@pytest.mark.slow
def test_a_map_gives_states_whose_lines_are_followed_by_three_plans(
        monkeypatch: pytest.MonkeyPatch) -> None:
    from firebreak.agent.policy_file import load_policy

    monkeypatch.setattr(returns, "SIDE", 16)
    monkeypatch.setattr(returns, "PLAN_FIRES", 16)
    monkeypatch.setattr(returns, "FIRES", 32)
    monkeypatch.setattr(returns, "BUDGET", 0.2)
    found = returns.returns_of(3, load_policy().network)
    again = returns.returns_of(3, load_policy().network)
    assert found
    assert found == again
    for record in found:
        plans = np.array(record["returns"])
        assert plans.shape == (3, 8)
        assert len(set(record["lines"])) == 8
        assert record["value"][:4] == sorted(record["value"][:4], reverse=True)
        assert plans.min() >= 0.0
        assert plans.max() <= 1.0
        assert not np.array_equal(plans[0], plans[2])
