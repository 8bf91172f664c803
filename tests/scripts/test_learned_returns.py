"""benchmarks/learned_returns.py: labels are paired returns, and what is learned is measured on maps
held out.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import learned_returns
from returns import ranks

from firebreak.agent.policy_file import load_policy


def test_ranks_are_within_states_and_level_states_have_none() -> None:
    one = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [3.0, 2.0, 1.0]])
    other = np.array([[10.0, 20.0, 99.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    found = ranks(one, other)
    assert found[[0, 2]].tolist() == pytest.approx([1.0, -1.0])
    assert np.isnan(found[1])


def test_the_first_line_and_the_chosen_one_are_held_against_each_other() -> None:
    """A network that values the second line most is judged by what that returns more."""
    class Fixed(torch.nn.Module):
        def values_at(self, observation: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
            return (action == 7).float()
    held = {"map": np.array([1, 1, 2]), "layers": np.zeros((3, 2, 4, 4), np.uint8),
            "line": np.array([[3, 7], [7, 3], [3, 7]], np.int32),
            "gain": np.array([[0.0, 1.0]] * 3, np.float32),
            "returns": np.array([[0.5, 0.8], [0.5, 0.1], [0.5, 0.65]], np.float32)}
    found = learned_returns.measured(Fixed(), held)
    assert found["choice"][0] == pytest.approx(0.15)  # 0.3, 0 and 0.15
    assert found["choice"][1] <= found["choice"][0] <= found["choice"][2]
    assert found["rank"][0] == pytest.approx(1.0)
    head, rows = learned_returns.table([{"returns": returns, "seed": seed, "step": 0, **found}
                                        for returns in (True, False) for seed in (0, 1)])
    assert len(head) == len(rows[0]) == 5
    assert rows[0][3].startswith("+0.1500 (")
    assert rows[0][3].endswith("; +0.1500")


@pytest.mark.slow
def test_states_of_a_map_have_their_eight_best_lines_and_what_these_return(
        monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (learned_returns, sys.modules["returns"]):
        monkeypatch.setattr(module, "SIDE", 20)
    monkeypatch.setattr(learned_returns, "FIRES", 32)
    network = load_policy(learned_returns.GENERAL).network
    states = learned_returns.states_of(5, network)
    assert 1 <= len(states) <= learned_returns.STATES
    for state in states:
        assert len(np.unique(state["line"])) == learned_returns.LINES
        seen = learned_returns.as_floats(torch.from_numpy(state["layers"])[None])
        values = network.values_at(seen, torch.from_numpy(state["line"]).long()[None])[0]
        assert values.argmax() == 0
        assert (state["returns"] > 0.0).all()
