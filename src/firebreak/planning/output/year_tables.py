"""Plans over years as tables."""

from collections.abc import Sequence
from typing import Any

from firebreak.checks import counted
from firebreak.planning.core.break_segments import BreakSegment
from firebreak.planning.years.savings import YearsResult, discount_factors
from firebreak.planning.years.schedule import BUILD_ONCE, NOT_BUILT, Schedule


def years_table(found: YearsResult, per_value: float) -> list[dict[str, Any]]:
    """A row for each schedule and year: what is spent, what stands, what the year saves and loses.

    per_value: of the losses' unit in a value of 1.
    """
    weight = discount_factors(found.discount_rate, len(found.years))
    return [{"schedule": name, "chosen": name == found.chosen, "year": year,
             "build_cost": round(float(own.built[place]), 2),
             "upkeep_cost": round(float(own.kept[place]), 2),
             "again_cost": round(float(own.again[place]), 2),
             "segments_standing": int((own.age[place] != NOT_BUILT).sum()),
             "reduction": round(float(found.saved[name].by_year[place]), 6),
             "mean_loss": round(per_value * float(found.saved[name].loss[place]), 6),
             "mean_loss_low": round(per_value * float(found.saved[name].loss_low[place]), 6),
             "mean_loss_high": round(per_value * float(found.saved[name].loss_high[place]), 6),
             "discount_factor": round(float(weight[place]), 6)}
            for name, own in found.schedules.items() for place, year in enumerate(found.years)]


def schedule_table(found: YearsResult, segments: Sequence[BreakSegment]) -> list[dict[str, Any]]:
    """A row for each thing to do in the schedule that is kept, by year, named by build order."""
    own, prices = found.schedules[found.chosen], found.prices
    actions = (("build", prices.build), ("keep up", prices.upkeep), ("treat again", prices.build))
    return [{"year": year, "action": action, "build_order": k + 1,
             "area_ha": round(segments[k].area_ha, 4), "cost": round(float(price[k]), 2)}
            for year, done in zip(found.years, own.done, strict=True)
            for (action, price), numbers in zip(actions, done, strict=True) for k in numbers]


def years_built(found: YearsResult) -> list[int | None]:
    """Of each segment, in build order, the year in which the schedule that is kept builds it; None
    where it never does.
    """
    age = found.schedules[found.chosen].age
    stands = age != NOT_BUILT
    return [found.years[int(first)] if any_ else None
            for first, any_ in zip(stands.argmax(axis=0), stands.any(axis=0), strict=True)]


def years_words(found: YearsResult) -> str:
    """Which schedule is kept, and what it saves, in a sentence."""
    kept, name = found.saved[found.chosen], found.chosen
    words = (f"over {counted(len(found.years), 'year')} {name} is kept: it saves "
             f"{kept.reduction:.1%} ({kept.low:.1%} to {kept.high:.1%})")
    if name == BUILD_ONCE.name:
        return f"{words}; no other schedule is told apart as better"
    return (f"{words}, {kept.more:+.1%} ({kept.more_low:+.1%} to {kept.more_high:+.1%}) beside "
            f"{BUILD_ONCE.name}")


def years_record(found: YearsResult) -> dict[str, Any]:
    """The schedule that is kept, for machines."""
    kept = found.saved[found.chosen]
    return {"schedule": found.chosen, "years": len(found.years),
            "discount_rate": found.discount_rate,
            **{name: getattr(kept, name) for name in ("reduction", "low", "high", "more",
                                                      "more_low", "more_high")}}


def spent(own: Schedule) -> float:
    """What a schedule spends in all years."""
    return float(own.built.sum() + own.kept.sum() + own.again.sum())
