"""Numbers with bounds that several subjects have. A run's TOML and the options of the
command line are checked by them.
"""

from typing import Annotated

from annotated_types import Ge, Gt, Le

MAX_WIND_KM_H = 150.0

Share = Annotated[float, Gt(0), Le(1)]
Fraction = Annotated[float, Ge(0), Le(1)]
Positive = Annotated[float, Gt(0)]
NotNegative = Annotated[float, Ge(0)]
AtLeastOne = Annotated[int, Ge(1)]
WindSpeed = Annotated[float, Gt(0), Le(MAX_WIND_KM_H)]
DurationSpread = Annotated[float, Ge(0), Le(2)]
BurningHours = Annotated[float, Gt(0), Le(24)]
MOST_PERIODS = 14
"""Most burning periods of a fire: two weeks."""
PERIODS = 1.2
BurningPeriods = Annotated[float, Ge(1), Le(MOST_PERIODS)]
DURATION_SPREAD = 0.5
"""Standard deviation of the logarithm of the duration; duration_sigma in a run's TOML."""
Count = Annotated[int, Ge(0)]
