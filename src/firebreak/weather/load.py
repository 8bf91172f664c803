"""Weather for fires, made from what planners have: station tables, a fire's own hours.

`weather_of` reads any of them. `percentile_scenarios` makes constant scenarios by classes of
dryness and wind; streams of hours are a fire's own, or `burning_periods` of many days.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.landscape.names import weather_place
from firebreak.reading import read_toml
from firebreak.seeding import generator
from firebreak.settings.scene import DEFAULT_MOISTURE
from firebreak.weather.formats.read import numbered_weather, read_weather
from firebreak.weather.formats.table import (
    Floats,
    WeatherTable,
    WeatherWarning,
    hourly,
    missing_weather,
    runs,
    step_min,
)
from firebreak.weather.from_table import rows_of, within_hours
from firebreak.weather.moisture import moisture_scenario
from firebreak.weather.scenarios import WeatherScenarios, rose_of
from firebreak.weather.streams import WeatherStreams, constant, gather_streams, join_rows

FROM_PERCENTILE = 50.0
"""Percentile of dryness below which a day is left out, as fires hardly grow then."""
DRYNESS_PERCENTILES = (FROM_PERCENTILE, 80.0, 90.0, 97.0)
"""Percentiles at which classes of dryness begin; rows below the first are left out."""
SPEED_PERCENTILES = (50.0, 90.0)
"""Percentiles at which classes of wind speed begin within one of dryness; the first begins at 0."""
SECTORS = 8
"""Equal ones, the first centred on north."""
AFTERNOON = (12, 18)
"""First and last hour of the day that scenarios are made of."""

START_HOUR = 10
"""When a day's burning period begins."""


def percentile_scenarios(table: WeatherTable, rows: WeatherScenarios, *,
                         most: int | None = None, seed: int = 0) -> WeatherScenarios:
    """Constant scenarios from the afternoons of a table, weighted by how often they occurred.

    Rows of the `AFTERNOON` are classed by dryness (percentiles of 1-hour moisture, driest last),
    within it by wind speed (percentiles) and by the sector that the wind blows from. Each class
    that occurs is a scenario: the mean of its rows, the mean direction as a vector weighted by
    speed; its weight is its share of the rows.

    Args:
        table: the rows' clock.
        rows: of the table, see `rows_of`.
        most: how many scenarios at most; where there are more classes, `most` equal weights are
            handed out by systematic sampling, so that a class keeps its weight on average.
        seed: of that sampling.

    Raises:
        InputError: there is no row of the `AFTERNOON`.
    """
    kept = np.flatnonzero(within_hours(table, AFTERNOON))
    if kept.size == 0:
        raise missing_weather(table, f"rows between {AFTERNOON[0]} and {AFTERNOON[1]} h",
                              "add rows of these hours")
    moisture = rows.dead_moisture_1h[kept]
    limits = np.percentile(moisture, 100.0 - np.asarray(DRYNESS_PERCENTILES))
    dry = (moisture[:, None] <= limits).sum(axis=1)
    kept, dry = kept[dry > 0], dry[dry > 0] - 1
    fast = np.zeros(kept.size, dtype=np.intp)
    for value in np.unique(dry):
        one = dry == value
        wind = rows.wind_20ft_m_min[kept[one]]
        fast[one] = (wind[:, None] > np.percentile(wind, list(SPEED_PERCENTILES))).sum(axis=1)
    width = 360.0 / SECTORS
    sector = np.floor((rows.wind_from_deg[kept] + 0.5 * width) % 360.0 / width).astype(np.intp)
    kinds = np.stack([dry, fast, sector], axis=1)
    _, kind, count = np.unique(kinds, axis=0, return_inverse=True, return_counts=True)
    weight = count / count.sum()
    if most is not None and weight.size > most:
        weight = _systematic(weight, most, seed)
    used = np.flatnonzero(weight)
    means = [_mean_row(rows, kept[kind.ravel() == one]) for one in used]
    return join_rows(means)._replace(weight=weight[used])


def _systematic(weight: Floats, count: int, seed: int) -> Floats:
    """`count` equal weights handed out evenly along the cumulated weights (Madow 1949)."""
    offset = generator(seed, "weather classes").random()
    points = (np.arange(count) + offset) / count
    chosen = np.searchsorted(np.cumsum(weight)[:-1], points, side="right")
    return np.bincount(chosen, minlength=weight.size) / count


def _mean_row(rows: WeatherScenarios, which: NDArray[np.intp]) -> WeatherScenarios:
    """One scenario, [1] each: means, and the direction of the mean wind vector."""
    picked = WeatherScenarios(*(values[which] for values in rows))
    angle = np.radians(picked.wind_from_deg)
    # All calm: the recorded directions count alike.
    speed = picked.wind_20ft_m_min if picked.wind_20ft_m_min.any() else np.ones(which.size)
    direction = np.degrees(np.arctan2((speed * np.sin(angle)).sum(), (speed * np.cos(angle)).sum()))
    mean = WeatherScenarios(*(np.array([values.mean()]) for values in picked))
    return mean._replace(wind_from_deg=np.array([direction % 360.0 % 360.0]))


def weather_of(path: str | Path, *, scenarios: int, hours: int | None, seed: int,
               wind_towards: bool = False, sunlit: bool = False,
               moisture: str | None = DEFAULT_MOISTURE,
               latitude_deg: float | None = None) -> WeatherStreams:
    """The weather of fires, from any file or folder of weather.

    - One fire's weather (a Weather.csv of Cell2Fire or C2F-W, or a folder with one): one stream of
      its rows, the first `hours` of them if given.
    - A folder of Weather<N>.csv: a stream per file; `scenarios` of them drawn if there are more.
    - A .toml with a wind rose, see `wind_rose.rose_of`: constant scenarios.
    - A season (station CSV, .wxs, .wtr and .wnd): without `hours` constant scenarios by classes of
      dryness and wind, at most `scenarios`; with `hours` that many burning periods of `hours`
      hours.

    Args:
        path: see `formats.read.read_weather`; `sample:NAME` for that of a sample.
        scenarios: how many at most.
        hours: length of streams; None for what the file suggests, see above.
        seed: of the draws.
        wind_towards: directions are those the wind blows TO.
        sunlit: dead fuel lies in the open, see `from_table.rows_of`.
        moisture: scenario "D1L1" to "D4L4" for files without moisture; None refuses them.
        latitude_deg: of a season's station, degrees north, see `from_table.rows_of`.

    Raises:
        InputError: as the readers do; no moisture; fewer than 1 scenario or hour.

    Warns:
        WeatherWarning: as the readers do; a stream whose last hour holds.
    """
    path = weather_place(path)
    if scenarios < 1 or (hours is not None and hours < 1):
        wanted = counted(scenarios, "scenario") + (
            "" if hours is None else f" of {counted(hours, 'hour')}")
        raise fail(expected="at least 1 scenario, and 1 hour if hours are given", given=wanted,
                   where=str(path), remedy="give larger numbers")

    if moisture is not None:
        moisture_scenario(moisture)  # wrong is wrong for a file with moisture too

    def rows(table: WeatherTable) -> WeatherScenarios:
        return rows_of(table, sunlit=sunlit, moisture=moisture, latitude_deg=latitude_deg)

    if Path(path).suffix.lower() == ".toml":
        return constant(rose_of(read_toml(path), str(path)))
    files = numbered_weather(path)
    if files:
        tables = [read_weather(files[k], wind_towards=wind_towards)
                  for k in drawn(len(files), scenarios, seed)]
        return fire_streams(tables, [rows(table) for table in tables], hours=hours)
    table = read_weather(path, wind_towards=wind_towards)
    if table.one_fire:
        return fire_streams([table], [rows(table)], hours=hours)
    table = hourly(table)
    if hours is None:
        return constant(percentile_scenarios(table, rows(table), most=scenarios, seed=seed))
    return burning_periods(table, rows(table), streams=scenarios, hours=hours, seed=seed)


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


def period_starts(table: WeatherTable, length: int) -> NDArray[np.intp]:
    """Rows where a day's burning period of `length` rows can begin without meeting a gap.

    The first row of each day from `START_HOUR` on.
    """
    assert table.time is not None  # only one fire's weather has no clock
    step = step_min(table)
    starts: list[int] = []
    for run in runs(table):
        within = np.arange(run.start, run.stop - length + 1)
        if within.size == 0:
            continue
        day = table.time[within].astype("datetime64[D]")
        passed = (table.time[within] - day) / np.timedelta64(1, "m") - 60.0 * START_HOUR
        starts.extend(within[(passed >= 0.0) & (passed < step)].tolist())
    return np.array(starts, dtype=np.intp)


def burning_periods(table: WeatherTable, rows: WeatherScenarios, *, streams: int, hours: int,
                    seed: int, from_percentile: float = FROM_PERCENTILE) -> WeatherStreams:
    """Streams of `hours` hours drawn from the burning periods of a table's days, equally weighted.

    Days are ranked by the mean 1-hour moisture of their period; those at or above a percentile of
    dryness are candidates. `streams` of them are drawn without replacement; all are taken if there
    are no more. They come in the order of the calendar.

    Raises:
        InputError: no day has a whole period.
    """
    step = step_min(table)
    length = max(1, round(60.0 * hours / step))
    starts = period_starts(table, length)
    if starts.size == 0:
        raise missing_weather(table, f"a day with {hours} hours from {START_HOUR} h on",
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
