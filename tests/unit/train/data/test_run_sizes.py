"""Sizes of parts of a run that follow from its configuration."""

import pytest

from firebreak.train.config.load import load_config
from firebreak.train.data.run_sizes import shortest_episode

LINES = ["agent.segments=true", "agent.gain_share=0.25", "agent.discount_end=0"]


@pytest.mark.parametrize("change", [LINES, ["mixture.parts=0.1"], ["mixture.existing=0.1"],
                                    ["mixture.slope_costs=0.1"]])
def test_one_step_may_spend_the_budget_where_lines_or_jobs_are_drawn(change: list[str]) -> None:
    """The replay's ring of landscapes would be too short for such episodes."""
    assert shortest_episode(load_config("quick", []), 40) > 1
    assert shortest_episode(load_config("quick", change), 40) == 1
