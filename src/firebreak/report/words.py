"""Words and numbers as reports, figures and the explorer write them: breaks, crews, winds, amounts.
"""

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from firebreak.checks import counted, listed
from firebreak.fire import (
    FLAME_FT,
    NEVER_FLAME_FT,
    FireConditions,
    HoldRule,
    Scene,
    SpottingModel,
)
from firebreak.landscape.bare_ground import ROAD_M
from firebreak.landscape.landscape import FloatGrid, Landscape
from firebreak.landscape.treatments import Treatment
from firebreak.planning.evaluation.intervals import Interval
from firebreak.units import METRES_PER_FOOT
from firebreak.weather.scenarios import WeatherScenarios

LIMITS = (
    "Weather, ignitions and fire durations are drawn or given as listed above; the plan may do "
    "more or less in other weather.",
    "Fuels are those of the map's date. Maintenance, access, soils, habitats, ownership and the "
    "law are not considered unless they were given as costs, values or masks.",
    "A research tool: not for operational decisions without an analyst who knows the area.")
WINDS = ("N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW",
         "NW", "NNW")
_DIRECTION_DECIMALS = 6
MOST_WINDS = 12
"""Winds that are listed."""
HOW_FIRES_END = "Fires burn until their duration ends, unless crews are said to stop them."
"""The same for conditions that are not known."""
_RULES = {
    "wilson": "Fire crosses them with a probability that rises with its intensity (Wilson 1988), "
              "drawn once for each fire and cell.",
    "wilson-trees": "Fire crosses them with a probability that rises with its intensity (Wilson "
                    "1988, trees beside the break), drawn once for each fire and cell.",
    "flame-length": "Fire crosses them where its flames are longer than two thirds of their width."}


def what_breaks_do(conditions: FireConditions, cell_size_m: float,
                   strip_m: FloatGrid | None = None) -> list[str]:
    """Sentences on what breaks do on cells of this side; strip_m: see `Landscape`."""
    own = (_shaded(conditions) if conditions.treatment.kind == "shaded"
           else _hard(conditions, cell_size_m, strip_m))
    return [*own, *_crews_in_words(conditions), *_around(conditions)]


def _crews_in_words(conditions: FireConditions) -> list[str]:
    """Sentences on what crews do in these conditions, and on that they hold no break."""
    words = (["No crew holds a fire at a break."] if conditions.hold is None
             else _held(conditions.hold))
    if conditions.attack_min is not None:
        words.append(f"An initial attack {conditions.attack_min:g} minutes after ignition contains "
                     "a fire with a chance that falls with its size and the intensity of its head "
                     "(Hirsch, Corey & Martell 1998); a contained fire burns no further.")
    return words


def _held(hold: HoldRule) -> list[str]:
    who = {"hand": "Crews with hand tools", "equipment": "Crews with equipment"}[hold.by]
    surely, never = FLAME_FT[hold.by], NEVER_FLAME_FT
    bound = ("No bound is set on the length of break that they hold in one fire."
             if hold.crew_km is None else
             f"They hold at most {hold.crew_km:g} km of breaks in one fire, in the order in which "
             "fire arrives.")
    return [f"{who} hold breaks. A break stops a fire that arrives after they can be there "
            f"({hold.response_min:g} minutes after ignition, and the way from the nearest road at "
            f"{hold.crew_speed_km_h:g} km/h where roads are given), always where its flames are "
            f"shorter than {surely:g} ft ({surely * METRES_PER_FOOT:.1f} m), never from {never:g} "
            f"ft ({never * METRES_PER_FOOT:.1f} m) on, and with a falling chance in between.",
            bound]


def how_fires_end(conditions: FireConditions) -> str:
    """One sentence on what ends a fire."""
    if conditions.attack_min is not None:
        return "A fire burns until its duration ends or the initial attack contains it."
    if conditions.hold is not None:
        return "Fires burn until their duration ends; crews hold them at breaks only."
    return "Fires burn without suppression until their duration ends."


def breaks_in_short(conditions: FireConditions, strip_m: FloatGrid | None = None) -> str:
    """Kind, width and rules of breaks in one sentence; strip_m: see `Landscape`."""
    treatment = conditions.treatment
    width = "the whole cell wide" if treatment.width_m is None else f"{treatment.width_m:g} m wide"
    if strip_m is not None:
        width = f"{_from_to(strip_m)} wide, as shapes say"
    crossed = ("no breach rule" if conditions.breach == "never"
               else f"breach rule '{conditions.breach}'")
    leak = "; fire passes between breaks that touch only at a corner" if conditions.leak else ""
    made = "" if treatment.name is None else f"{treatment.name}, "
    return f"Breaks: {made}{treatment.kind}, {width}; {crossed}{leak}."


def who_throws(embers: SpottingModel) -> str:
    """Words for the fires that throw embers."""
    return ("thrown by crown fire, and by surface fire in shrub and timber (a rate that is assumed)"
            if embers.woody_brands_per_ha > 0.0 else "thrown by crown fire")


def bare_ground_in_words(landscape: Landscape) -> str:
    """One sentence on what cells that cannot burn do."""
    if landscape.bare_m is None:
        return "Existing barriers: cells that cannot burn stop fire at no cost to the budget."
    return ("Existing barriers: bare ground up to 30 m wide is crossed with a probability that "
            "falls with its width (Wilson 1988), at no cost to the budget; roads of unknown width "
            f"are {ROAD_M:g} m wide, an assumption.")


def _shaded(conditions: FireConditions) -> list[str]:
    treatment = conditions.treatment
    alone = "they do not stop fire" if conditions.hold is None else (
        "they do not stop fire where no crew holds them")
    if treatment.name is not None:
        return [f"Breaks are made by {_one_of(treatment)}: {alone}. A treated cell burns as "
                "another fuel under other crowns, as a rule more slowly and less intensely, and "
                "fire can cross it.",
                "What fuel a treatment leaves, and for how long, is read from a table; some of its "
                "numbers are assumed."]
    return [f"Breaks are shaded: {alone}. A treated cell burns as another fuel "
            "(the least load of its kind, under thinned and raised crowns), as a rule more slowly "
            "and less intensely, and fire can cross it.",
            "What fuel a treatment leaves is an assumption, not a measurement."]


def _one_of(treatment: Treatment) -> str:
    """The treatments in words."""
    if not treatment.by_cell:
        return str(treatment.name)
    return f"{treatment.name} (each cell by the cheapest that can be done there)"


def _from_to(strip_m: FloatGrid) -> str:
    low, high = float(strip_m.min()), float(strip_m.max())
    return f"{low:.3g} m" if low == high else f"{low:.3g} to {high:.3g} m"


def _hard(conditions: FireConditions, cell_size_m: float, strip_m: FloatGrid | None) -> list[str]:
    treatment = conditions.treatment
    width = treatment.width_m
    narrow = width is not None and width < cell_size_m
    made = (f"Breaks are hard and narrow: strips of bare ground {width:g} m wide in cells of "
            f"{cell_size_m:g} m; the rest of such a cell burns." if narrow else
            f"Breaks are hard: bare ground as wide as the cell, {cell_size_m:g} m.")
    if strip_m is not None:
        made = (f"Breaks are hard: strips of bare ground of {_from_to(strip_m)} in cells of "
                f"{cell_size_m:g} m, as wide as shapes say; the rest of such a cell burns.")
    if treatment.name is not None:
        made += f" They are made by {_one_of(treatment)}."
    if conditions.breach != "never":
        return [made, _RULES[conditions.breach]]
    words = [made, "Fire does not cross them, however intense it is."]
    if conditions.spotting is None:
        words.append("Real breaks leak, so the reductions are upper bounds.")
    return words


def _around(conditions: FireConditions) -> list[str]:
    words = []
    if conditions.leak and conditions.treatment.kind == "hard":
        words.append("Fire passes between two breaks that touch only at a corner.")
    if conditions.spotting is not None:
        words.append(f"Embers {who_throws(conditions.spotting)} fly over breaks.")
    return [*words, "An ignition inside a treated cell still burns and spreads."]


def weather_in_words(scene: Scene) -> str:
    """The number of weathers, how often they change, and their winds."""
    kinds, rows = len(scene.streams.weight), scene.scenarios
    steps, step_min = scene.streams.steps_per_stream, scene.streams.step_min
    changes = during = ""
    if steps > 1:
        hourly = step_min == 60.0
        changes = (f", {'which' if kinds == 1 else 'each of which'} changes "
                   + (f"by the hour for {counted(steps, 'hour')}" if hourly else
                      f"every {step_min:g} minutes for {steps * step_min:g} minutes"))
        during = " in these hours" if hourly else " in this time"
    return (f"Weather: {counted(kinds, 'kind')}{changes}, wind 20 ft above the vegetation"
            f"{during}: {_winds_in_words(rows)}.")


def _winds_in_words(rows: WeatherScenarios) -> str:
    """The first winds; those of the same words once, for hours often have the same one."""
    winds = list(dict.fromkeys(
        wind_in_words(speed * 0.06, angle)
        for speed, angle in zip(rows.wind_20ft_m_min, rows.wind_from_deg, strict=True)))
    return listed(winds, MOST_WINDS)


def amount(number: float) -> str:
    """Four figures, or whole thousands with commas: 0.01234, 12.35, 61,080."""
    return f"{number:,.0f}" if abs(number) >= 1000.0 else f"{number:.4g}"


def span(interval: Interval) -> str:
    """A number with its interval."""
    return f"{amount(interval.mean)} ({amount(interval.low)} to {amount(interval.high)})"


def weathers_in_words(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Wind and 1-h fuel of each weather, and the moistures that distinguish like ones."""
    words = [f"{wind_in_words(line['wind_20ft_km_h'], line['wind_from_deg'])}, "
             f"1-h fuel {100 * line['dead_moisture_1h']:.0f} %" for line in lines]
    for name, fuel in (("live_moisture_herb", "herbs"), ("live_moisture_woody", "live wood"),
                       ("dead_moisture_10h", "10-h fuel"), ("dead_moisture_100h", "100-h fuel")):
        longer = [f"{word}, {fuel} {100 * line.get(name, 0.0):.0f} %"
                for word, line in zip(words, lines, strict=True)]
        same = [word for word in words if words.count(word) > 1]
        if len(set(longer)) > len(set(words)):
            words = [more if word in same else word
                     for word, more in zip(words, longer, strict=True)]
    return words


def wind_in_words(km_h: float, from_deg: float) -> str:
    """A wind's speed and direction in words."""
    speed = f"{km_h:.0f}"
    return "calm" if speed == "0" else f"{speed} km/h from {wind_name(from_deg)}"


def wind_name(from_deg: float) -> str:
    """A wind's direction in words and degrees."""
    return f"{compass(from_deg)} ({round(from_deg, 1) % 360.0:g}°)"


def compass(degrees: float) -> str:
    """The nearest of sixteen winds; half way between two the one further on clockwise, so that a
    direction has one name: N is [-11.25, 11.25), NNE is [11.25, 33.75).
    """
    # A mean over rows may fall short of the boundary by rounding.
    sixteenth = floor((round(degrees, _DIRECTION_DECIMALS) + 11.25) / 22.5)
    return WINDS[sixteenth % len(WINDS)]
