"""Streams of hours cut out of weather tables: a fire's own hours, or burning periods of many days.

Rows of weather come from `from_table.rows_of`.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.seeding import generator
from firebreak.weather.formats.table import (
    WeatherTable,
    WeatherWarning,
    missing_weather,
    runs,
    step_min,
)
from firebreak.weather.scenarios import WeatherScenarios
from firebreak.weather.streams import WeatherStreams, gather_streams, join_rows

FROM_PERCENTILE = 50.0
"""Percentile of dryness below which a day is left out, as fires hardly grow then."""
START_HOUR = 10
"""When a day's burning period begins."""

_HOURS_PER_DAY = 24


def fire_streams(tables: Sequence[WeatherTable], rows: Sequence[WeatherScenarios], *,
                 hours: int | None = None) -> WeatherStreams:
    """One stream per fire's table, from its first row on, all of the longest one's length.

    Args:
        tables: whose steps are equally long.
        rows: of each, see `rows_of`.
        hours: how long, if shorter than the longest.

    Raises:
        InputError: the steps differ.

    Warns:
        WeatherWarning: a table is shorter than the others or than `hours`, so that its last row
            holds.
    """
    step = step_min(tables[0])
    for table in tables:
        if step_min(table) != step:
            raise fail(expected=f"a row every {step:g} min as in {tables[0].where}",
                       given=f"every {step_min(table):g} min", where=table.where,
                       remedy="bring all files to one step")
    longest = max(table.rows for table in tables)
    wanted = longest if hours is None else max(1, round(60.0 * hours / step))
    length = min(longest, wanted)
    short = [table for table in tables if table.rows < wanted]
    if short:
        warnings.warn(f"{short[0].where}: has {short[0].rows} of {wanted} rows, so its last row "
                      "holds to the end", WeatherWarning, stacklevel=2)
    first = np.cumsum([0, *(table.rows for table in tables[:-1])])
    last = np.array([table.rows - 1 for table in tables])
    index = first[:, None] + np.minimum(np.arange(length), last[:, None])
    return gather_streams(join_rows(rows), index, step)


def period_starts(table: WeatherTable, length: int, start_hour: int = START_HOUR,
                  ) -> NDArray[np.intp]:
    """Rows where a day's burning period of `length` rows can begin without meeting a gap.

    With a clock, the first row of each day from `start_hour` on; without one, each 24th hour.
    """
    step = step_min(table)
    starts: list[int] = []
    for run in runs(table):
        within = np.arange(run.start, run.stop - length + 1)
        if within.size == 0:
            continue
        if table.time is None:
            passed = (table.minutes[within] - table.minutes[run.start]) % (60.0 * _HOURS_PER_DAY)
        else:
            day = table.time[within].astype("datetime64[D]")
            passed = (table.time[within] - day) / np.timedelta64(1, "m") - 60.0 * start_hour
        starts.extend(within[(passed >= 0.0) & (passed < step)].tolist())
    return np.array(starts, dtype=np.intp)


def burning_periods(table: WeatherTable, rows: WeatherScenarios, *, streams: int, hours: int,
                    seed: int, from_percentile: float = FROM_PERCENTILE,
                    start_hour: int = START_HOUR) -> WeatherStreams:
    """Streams of `hours` hours drawn from the burning periods of a table's days, equally weighted.

    Days are ranked by the mean 1-hour moisture of their period; those at or above a percentile of
    dryness are candidates. `streams` of them are drawn without replacement; all are taken if there
    are no more. They come in the order of the calendar.

    Raises:
        InputError: no day has a whole period.
    """
    step = step_min(table)
    length = max(1, round(60.0 * hours / step))
    starts = period_starts(table, length, start_hour)
    if starts.size == 0:
        raise missing_weather(table, f"a day with {hours} hours from {start_hour} h on",
                              "choose fewer hours")
    index = starts[:, None] + np.arange(length)
    moisture = rows.dead_moisture_1h[index].mean(axis=1)
    index = index[moisture <= np.percentile(moisture, 100.0 - from_percentile)]
    return gather_streams(rows, index[drawn(len(index), streams, seed)], step)


def drawn(available: int, wanted: int, seed: int) -> NDArray[np.intp]:
    """At most `wanted` of `available` positions, ascending."""
    if available <= wanted:
        return np.arange(available)
    return np.sort(generator(seed, "weather streams").choice(available, wanted, replace=False))
