"""Defaults of planning and of comparing plans, the same on the command line and in a run's TOML."""

from typing import Literal

ReportKind = Literal["full", "brief", "none"]
"""How much is told of a plan beside its files."""
BUDGET = 0.05
"""Share of the treatable cells' cost that may be spent."""
PLAN_FIRES = 256
"""Fires that every method plans against."""
COMPARED = ("none", "random", "burn-probability", "downstream-value")
"""Methods that a comparison holds beside what it is about: all that simulate no candidate break."""
NO_PHASES = ""
"""Phases that replace those of a file by none."""
