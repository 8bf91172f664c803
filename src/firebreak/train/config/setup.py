"""Steps from a configuration to the fire layer and the agent; and its treatments on landscapes:
where each can be done, and what it costs there.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.network import take_over
from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import policy_at
from firebreak.checks import fail
from firebreak.env.drawn_breaks import HELD_ON
from firebreak.env.sources import LandscapeDraw
from firebreak.fire import (
    FireConditions,
    ResponseFunction,
    conditions_from,
    layer_kinds,
)
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM, FBP
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import beside
from firebreak.landscape.synthetic.families import family_named
from firebreak.landscape.treatment_table import (
    TreatmentRow,
    named,
    per_ha,
    read_table,
    treatment_of_rows,
    with_treatments,
)
from firebreak.landscape.treatments import break_width_m
from firebreak.seeding import integer_seed
from firebreak.settings.mixture import MixtureSettings
from firebreak.train.config.schema import RunConfig
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.scenarios import WindClimate
from firebreak.weather.streams import WeatherStreams

TREATMENT = "breaks.treatment"


def conditions_of(config: RunConfig, data: Path) -> FireConditions:
    """Weather, fires, breaks and losses as the fire layer wants them.

    Raises:
        InputError: a file is missing or damaged, or settings contradict one another.
    """
    fires, breaks = config.fires, config.breaks
    if config.landscapes.family is not None:
        family_named(config.landscapes.family, "landscapes.family")
    rows = treatment_rows(config, data)
    climate = WindClimate(dominant_from_deg=fires.wind_from_deg,
                          wind_20ft_mean_m_min=fires.wind_20ft_km_h * M_MIN_PER_KM_H,
                          wind_20ft_spread_m_min=fires.wind_spread_km_h * M_MIN_PER_KM_H,
                          direction_spread_deg=fires.wind_direction_spread_deg)
    return conditions_from(
        fires, breaks, climate=climate, scenarios=fires.scenarios,
        treatment=treatment_of_rows(rows, breaks.treatment_age, TREATMENT, breaks.break_width_m)
        if rows else None, weather=_weather(config, data),
        duration_sigma=fires.duration_sigma,
        response=None if fires.losses is None else ResponseFunction(
            name="losses", loss=tuple(fires.losses)),  # type: ignore[arg-type]
        layers=() if fires.layers is None else layer_kinds(data / fires.layers))


def treatment_rows(config: RunConfig, data: Path) -> list[TreatmentRow]:
    """The treatments by which breaks are made; none where they are described by themselves.

    Raises:
        InputError: an unknown one, a damaged table, settings that contradict one another.
    """
    breaks = config.breaks
    if breaks.treatment is None:
        return []
    table = read_table(None if breaks.treatments is None else beside(data, breaks.treatments))
    return named(breaks.treatment, table, TREATMENT)


def _weather(config: RunConfig, data: Path) -> WeatherStreams | None:
    fires = config.fires
    if fires.weather is None:
        return None
    from firebreak.weather.load import weather_of

    return weather_of(beside(data, fires.weather), scenarios=fires.scenarios, hours=fires.hours,
                      seed=config.seed, wind_towards=fires.wind_towards,
                      moisture=fires.moisture)


def mixture_of(config: RunConfig) -> MixtureSettings | None:
    """Settings in which the episodes of a source differ; None where they do not. Sizes and fuels of
    the maps are those of its land.
    """
    mixture = replace(config.mixture.in_use, sizes=[], fbp=0.0)
    return None if mixture == MixtureSettings() else mixture


def synthetic_systems(config: RunConfig) -> set[str]:
    """Fuel systems of the synthetic landscapes of a configuration."""
    family, fbp = config.landscapes.family, config.mixture.fbp
    own = DEFAULT_SYSTEM if family is None else family_named(family).fuel_system
    return {*([own] if fbp < 1.0 else []), *([FBP.name] if fbp > 0.0 else [])}


def check_fuel_systems(config: RunConfig, systems: Iterable[str]) -> None:
    """Refuses crews that cannot be where a run's land is of these fuel systems.

    Raises:
        InputError: crews hold all breaks or attack fires on land of several systems, or held breaks
            are drawn and no land is of the system in which crews hold them.
    """
    own = sorted(set(systems))
    crews = [name for name, asked in (
        ("breaks.hold", config.breaks.hold is not None),
        ("fires.initial_attack", config.fires.initial_attack is not None)) if asked]
    if crews and len(own) > 1:
        raise fail(expected=f"land of one fuel system together with {crews[0]}: in one system "
                            "crews judge a fire by its flame length, in the other by its intensity",
                   given=" and ".join(own), where=crews[0],
                   remedy="train on land of one system, or without crews")
    if config.mixture.held and HELD_ON not in own:
        raise fail(expected=f"land of the system '{HELD_ON}' together with mixture.held, which "
                            "draws crews there alone", given=" and ".join(own),
                   where="mixture.held",
                   remedy="use breaks.kind = \"shaded\" with breaks.hold instead")


def check_cell_sizes(conditions: FireConditions, sizes: Iterable[float]) -> None:
    """Refuses what cannot be trained on cells of these sizes, m, together.

    Raises:
        InputError: embers, an attack or crews on cells of several sizes, or breaks wider than the
            smallest cells.
    """
    each = sorted(set(sizes))
    # All environments' embers land in one native call, which knows one size of cells.
    by_cells = [name for name, asked in (
        ("fires.spotting", conditions.spotting), ("fires.initial_attack", conditions.attack_min),
        ("breaks.crew_km", conditions.hold and conditions.hold.crew_km)) if asked is not None]
    if by_cells and len(each) > 1:
        raise fail(expected=f"cells of one size together with {by_cells[0]}, which counts cells",
                   given=f"{' and '.join(f'{size:g}' for size in each)} m", where=by_cells[0],
                   remedy="train on maps of one cell size (landscapes.maps), or leave it out")
    if each and conditions.treatment.kind == "hard":
        break_width_m(conditions.treatment, each[0])


def begin_with(agent: DQNAgent, start: str) -> None:
    """Gives an agent that has learned nothing the weights of a policy, see `policy_at`; of one for
    cells too, if its own actions are segments.

    Raises:
        InputError: no policy, or one whose network is another.
    """
    path = policy_at(start)
    try:
        take_over(agent.online_net, load_policy(path).network)
    except RuntimeError as error:
        raise fail(expected="a policy with the width, head and actions of the agent, or for cells",
                   given=str(error).splitlines()[0].rstrip(":"), where=str(path),
                   remedy="leave the start out, or set agent.width and agent.segments as the "
                          "policy has them") from error
    agent.target_net.load_state_dict(agent.online_net.state_dict())


MOST_DRAWS = 100
"""Landscapes that are drawn in place of ones where nothing can be treated, at most."""

Treat = Callable[[Landscape], Landscape | None]
"""A landscape with the treatment and the cost of each cell; None where no cell can be treated, or
so few that the budget, a share of what treating all of them costs, buys none.
"""


def treat_as(config: RunConfig, conditions: FireConditions, data: Path) -> Treat:
    """Return the function that treats a landscape as configured; where no treatment is named it
    does nothing.
    """
    rows, breaks = treatment_rows(config, data), config.breaks

    def treat(land: Landscape) -> Landscape | None:
        done = np.stack([np.isfinite(per_ha(row, land.slope_tan)) for row in rows])
        if not (land.treatable & done.any(axis=0)).any():
            return None
        treated = with_treatments(land, rows, TREATMENT, breaks.break_width_m)
        costs = treated.cost[treated.treatable].astype(np.float64)
        return treated if costs.min() <= config.budget * costs.sum() else None

    return treat if rows else lambda land: land


def treated_draw(draw: LandscapeDraw, treat: Treat) -> LandscapeDraw:
    """The landscapes of a draw, treated; in the place of one where nothing can be treated another.
    """
    def drawn(seed: int, episode: int) -> Landscape:
        for again in range(MOST_DRAWS):
            own = seed if again == 0 else integer_seed(seed, "treatable", again)
            land = treat(draw(own, episode))
            if land is not None:
                return land
        raise _nowhere()

    return drawn


def all_treated(lands: Iterable[Landscape], treat: Treat) -> list[Landscape]:
    """Landscapes, treated, without those where nothing can be treated.

    Raises:
        InputError: none is left.
    """
    found = [land for land in map(treat, lands) if land is not None]
    if not found:
        raise _nowhere()
    return found


def _nowhere() -> Exception:
    return fail(expected="landscapes on which the treatment can be done",
                given="none, on their slopes and in their weather", where=TREATMENT,
                remedy="name another treatment, or add a gentler cost row to a table of your own")
