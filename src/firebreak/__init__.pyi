"""Written by scripts/python_stub.py: the public functions with their options."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from firebreak.agent.own_network import MakeNetwork
from firebreak.api.compared import ComparedPlans
from firebreak.api.planned import PlannedBreaks
from firebreak.api.simulated import SimulatedFires
from firebreak.api.trained import TrainedPolicy
from firebreak.checks import InputError as InputError
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.own_method import MethodProblem as MethodProblem
from firebreak.planning.core.own_method import OwnMethod

__version__: str
__all__ = ['InputError', 'MethodProblem', '__version__', 'evaluate', 'plan', 'read_landscape', 'simulate', 'train_policy']

Source = str | Path | Landscape


class _Land(TypedDict, total=False):
    terrain: Literal['derived', 'shipped']
    crs: str | None
    value: Any
    value_unit: str | None
    cost: Any
    treatable: Any
    barriers: Any
    built: Any
    roads: Any
    ignitions: Any
    break_kind: Literal['hard', 'shaded']
    break_width_m: float | None
    breach: Literal['never', 'wilson', 'wilson-trees', 'flame-length'] | None
    leak: bool
    hold: Literal['hand', 'equipment'] | None
    response_min: float
    crew_speed_km_h: float
    crew_km: float | Literal['unlimited'] | None

class _Scene(_Land, total=False):
    area: Any
    losses: str | None
    layers: str | Path | None
    hold_in: Any
    scenarios: int
    wind_20ft_km_h: float | None
    wind_from_deg: float | None
    weather: str | Path | None
    hours: int | None
    wind_towards: bool
    moisture: str | None
    burned_share: float | None
    duration_min: float | None
    crown: Literal['none', 'finney', 'scott-reinhardt', 'cruz']
    initial_attack: float | None
    spotting: bool
    burning_hours: float | None
    burning_periods: float
    treatment: str | None
    treatment_age: int
    treatments: str | Path | None
    seed: int
    threads: int
    quiet: bool

def read_landscape(
    source: str | Path,
    **options: Unpack[_Land],
) -> Landscape: ...

def simulate(
    landscape: Source,
    *,
    fires: int = 1000,
    plan: Any = None,
    fires_per_ha_year: float | None = None,
    **options: Unpack[_Scene],
) -> SimulatedFires: ...

def plan(
    landscape: Source,
    *,
    policy: Any = None,
    time_limit: float | None = None,
    plan_fires: int | None = None,
    budget: float | str | list[float | str] = 0.05,
    method: str | OwnMethod | None = None,
    test_fires: int = 1000,
    report: Literal['full', 'brief', 'none'] | None = None,
    fires_per_ha_year: float | None = None,
    must_include: Any = None,
    must_exclude: Any = None,
    lines: Any = None,
    only_lines: bool = False,
    cells: bool = False,
    house_buffer: float | None = None,
    existing: Any = None,
    improve: Any = None,
    shortest_m: float = 0.0,
    segment_m: float = 500.0,
    horizon: int | None = None,
    discount_rate: float = 0.0,
    cost_per_km: float = 0.0,
    executor: Literal['in-process', 'processes', 'ray'] | None = None,
    workers: int = 0,
    window_cells: int | None = None,
    **options: Unpack[_Scene],
) -> PlannedBreaks: ...

def evaluate(
    landscapes: Source | Sequence[Source],
    *,
    plans: Sequence[Any] = ...,
    policy: Any = None,
    time_limit: float | None = None,
    plan_fires: int | None = None,
    budget: float | str | list[float | str] = '',
    methods: str | Sequence[str | OwnMethod] = 'none,random,burn-probability,downstream-value',
    window: int | None = None,
    windows: int = 6,
    test_fires: int = 2000,
    random_draws: int = 30,
    **options: Unpack[_Scene],
) -> ComparedPlans: ...

def train_policy(
    config: str | Path | None = None,
    *,
    quiet: bool = False,
    network: MakeNetwork | None = None,
    on_row: Callable[[dict[str, Any]], object] | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    set: dict[str, Any] | Sequence[str] = ...,
    data: str | None = None,
    seed: int | None = None,
) -> TrainedPolicy: ...
