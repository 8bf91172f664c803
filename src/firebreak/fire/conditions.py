"""Assumptions about fires on any landscape, and how they follow from the settings."""

from dataclasses import dataclass, field, replace

from firebreak.checks import fail
from firebreak.fire.behavior_models import BehaviorModel
from firebreak.fire.effects.breaks import HoldRule, hold_rule
from firebreak.fire.effects.losses import LayerKind, ResponseFunction
from firebreak.fire.effects.spotting import ON_MAPS, SpottingModel
from firebreak.fire.fires import FireRegime
from firebreak.landscape.treatments import Treatment, treatment_of
from firebreak.settings.kinds import DURATION_SPREAD
from firebreak.settings.scene import (
    BURNED_SHARE,
    BreachRule,
    BreakSettings,
    FireSettings,
    WeatherSettings,
)
from firebreak.weather.scenarios import WindClimate
from firebreak.weather.streams import WeatherStreams


@dataclass(frozen=True, slots=True, kw_only=True)
class FireConditions:
    """Assumptions about fires on any landscape.

    Attributes:
        climate: wind and moisture to draw scenarios from.
        regime: ignitions and durations.
        scenarios: number of weather scenarios per landscape that are drawn.
        weather: weather to burn in on any landscape, instead of drawing it from the climate.
        model: the published forms of fire behaviour.
        treatment: what a break is made of; by default bare ground as wide as its cell.
        breach: published rule by which fire crosses a break; "never" for breaks that hold.
        leak: fire passes between two breaks that touch at a corner.
        response: loss by flame length; None where a burned cell loses its whole value.
        spotting: embers that cross breaks; None for none.
        layers: of the landscapes' value layers, what each is; none where they have none.
        hold: crews that hold breaks; None for nobody.
        attack_min: minutes from ignition to the initial attack; None for none.
        assumed: what of these was assumed for want of an option, each with the option that gives
            it.
    """

    climate: WindClimate = field(default_factory=WindClimate)
    regime: FireRegime = field(default_factory=FireRegime)
    scenarios: int = WeatherSettings.scenarios
    weather: WeatherStreams | None = None
    model: BehaviorModel = field(default_factory=BehaviorModel)
    treatment: Treatment = field(default_factory=Treatment)
    breach: BreachRule = "never"
    leak: bool = BreakSettings.leak
    response: ResponseFunction | None = None
    spotting: SpottingModel | None = None
    layers: tuple[LayerKind, ...] = ()
    hold: HoldRule | None = None
    attack_min: float | None = None
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shaded = self.treatment.kind == "shaded" and not self.treatment.mixed
        if shaded and self.breach != "never":
            raise fail(expected="no rule of breach for shaded breaks, which burn",
                       given=f"'{self.breach}'", where="breaks",
                       remedy="leave the rule out, or make the breaks hard")
        if self.hold is not None and self.treatment.kind == "hard" and self.breach == "never":
            raise fail(expected="breaks that fire can cross", given="hard breaks that nothing "
                       "crosses", where="--hold",
                       remedy="give --break-kind shaded, or a rule of --breach")

    @property
    def rows(self) -> int:
        """Rows of weather of every travel field."""
        return self.scenarios if self.weather is None else self.weather.steps.weight.size

    @property
    def stream_rows(self) -> int:
        """Rows of one stream of weather, with those of later burning periods."""
        steps = 1 if self.weather is None else self.weather.steps_per_stream
        return steps * self.regime.most_periods

    @property
    def by_flame(self) -> bool:
        """True where losses depend on the length of the flames."""
        return self.response is not None or bool(self.layers)

    @property
    def meets_crews(self) -> bool:
        """True where crews hold breaks or attack fires, which asks for intensities."""
        return self.hold is not None or self.attack_min is not None

    @property
    def may_run_on(self) -> bool:
        """True where breaks may let a fire get further than it does without any: fuel after a
        shaded treatment may burn faster, and a fire that is hotter at its edge, where a break kept
        it from running on, may escape the initial attack.
        """
        return self.treatment.kind == "shaded" or self.attack_min is not None

    @property
    def burns_anew(self) -> bool:
        """True where a fire that a break may change burns anew as a whole."""
        return self.may_run_on or self.meets_crews or self.spotting is not None

    def without_crews(self) -> "FireConditions":
        """The same fires, which meet nobody: durations are set for these."""
        return replace(self, hold=None, attack_min=None)


def conditions_from(fire: FireSettings, breaks: BreakSettings, *, climate: WindClimate,
                    scenarios: int, weather: WeatherStreams | None = None,
                    response: ResponseFunction | None = None,
                    layers: tuple[LayerKind, ...] = (), treatment: Treatment | None = None,
                    regime: FireRegime | None = None,
                    duration_sigma: float = DURATION_SPREAD,
                    on_map: bool = False) -> FireConditions:
    """The conditions that the settings of fires and breaks ask for.

    Args:
        climate, scenarios, weather: what the settings of the weather come to.
        response, layers: what the settings of losses come to.
        treatment: what a table says that breaks are; None for what the settings say.
        regime: where fires start and how long they last; None for what the settings of fires say,
            with `duration_sigma`, see `FireRegime`.
        on_map: the land is read, not made by a rule: embers are those of maps.

    Raises:
        InputError: settings that contradict one another.
    """
    regime = regime or FireRegime(
        burned_share=BURNED_SHARE if fire.burned_share is None else fire.burned_share,
        duration_sigma=duration_sigma, duration_min=fire.duration_min)
    return FireConditions(
        climate=climate, scenarios=scenarios, weather=weather, regime=regime,
        model=BehaviorModel(crown=fire.crown),
        treatment=treatment or treatment_of(breaks), breach=breaks.breach or "never",
        leak=breaks.leak, response=response,
        spotting=(ON_MAPS if on_map else SpottingModel()) if fire.spotting else None, layers=layers,
        hold=hold_rule(breaks), attack_min=fire.initial_attack)
