"""Defaults of planning, of comparing plans and of holding them against doubts about the fire model
and the weather; the same on the command line and in a run's TOML.
"""

from math import log
from typing import Literal, get_args

ReportKind = Literal["full", "brief", "none"]
"""Size of the report of a plan, beside its files."""
BUDGET = 0.05
"""Share of the treatable cells' cost that may be spent."""
PLAN_FIRES = 256
"""Fires that every method plans against."""
COMPARED = ("none", "random", "burn-probability", "downstream-value")
"""Methods that a comparison holds beside what it is about: all that simulate no candidate break."""

Doubt = Literal["rates", "wind", "moisture", "breach", "all"]
DOUBTS: tuple[Doubt, ...] = get_args(Doubt)
"""Kinds of perturbation; the last is all of the others together."""

RATE_SIGMA = log(1.35)
"""Standard deviation of the logarithm of the factor of a fuel's rate of spread. +-35 % is what Cruz
& Alexander 2013 (doi:10.1016/j.envsoft.2013.02.004) call a reasonable error: of the predictions
that they reviewed, most erred by more."""
WIND_TURN_DEG = 30.0
"""The wind is turned by up to so many degrees. Assumed."""
MOISTURE_FACTOR = 1.25
"""Dead fuel moisture is multiplied by up to this, or divided. Assumed."""
BREACH_FACTOR = 2.0
"""The probability of a breach is multiplied by up to this, or divided. Assumed."""
TRUST_DRAWS, TRUST_FIRES, TRUST_RIVALS = 5, 200, 3
"""In the report of a plan: draws of each, of the test fires so many, beside so
many of the other methods."""
