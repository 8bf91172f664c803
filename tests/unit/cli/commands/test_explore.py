"""A map in the explorer: whether its plan's policy was trained for its breaks."""

import warnings

import pytest

from firebreak.cli.commands.explore import VisualizeArguments, _of_landscape
from firebreak.cli.shared.common import parse
from firebreak.planning.methods import METHODS


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, own in METHODS.items()
                                    if own.guided or name in ("none", "downstream-value")])
def test_a_plan_by_a_policy_warns_of_breaks_that_it_was_not_trained_for(method: str) -> None:
    """A plan by another method does not: the policy's map of values is an extra there."""
    args = parse(VisualizeArguments, [
        "synthetic:5:12", "--method", method, "--plan-fires", "8", "--scenarios", "2",
        "--break-width-m", "50", "--breach", "wilson"], "visualize").options
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        _of_landscape(args)
    said = any("trained for other breaks" in str(one.message) for one in told)
    assert said == METHODS[method].guided
