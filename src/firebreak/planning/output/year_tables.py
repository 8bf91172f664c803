"""Plans over years as tables."""

from collections.abc import Sequence
from typing import Any

from firebreak.planning.core.break_segments import BreakSegment
from firebreak.planning.years.judged import YearsResult
from firebreak.planning.years.schedule import NOT_BUILT, Schedule


def years_table(found: YearsResult) -> list[dict[str, Any]]:
    """A row for each schedule and year: what is spent, what stands, what the year saves."""
    return [{"schedule": name, "chosen": name == found.chosen, "year": year,
             "build_cost": round(float(own.built[place]), 2),
             "upkeep_cost": round(float(own.kept[place]), 2),
             "again_cost": round(float(own.again[place]), 2),
             "segments_standing": int((own.age[place] != NOT_BUILT).sum()),
             "reduction": round(float(found.saved[name].by_year[place]), 6)}
            for name, own in found.schedules.items() for place, year in enumerate(found.years)]


def schedule_table(found: YearsResult, segments: Sequence[BreakSegment]) -> list[dict[str, Any]]:
    """A row for each thing to do in the schedule that is kept, by year, named by build order."""
    own = found.schedules[found.chosen]
    return [{"year": year, "action": action, "build_order": k + 1,
             "area_ha": round(segments[k].area_ha, 4)}
            for year, done in zip(found.years, own.done, strict=True)
            for action, numbers in zip(("build", "keep up", "treat again"), done, strict=True)
            for k in numbers]


def spent(own: Schedule) -> float:
    """What a schedule spends in all years."""
    return float(own.built.sum() + own.kept.sum() + own.again.sum())
