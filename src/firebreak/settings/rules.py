"""The rules over settings: which one says something only beside another, or not beside it. Nothing
that is said is without effect. What depends on the landscape is in `api.shared.option_rules`.

A rule names settings as options; an error has them as they were said, see `binding`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import fail
from firebreak.settings.schema import Leaf, leaves, option_of

_PLAIN = (str, int, float, Path, list, tuple, type(None))
"""Values that can be compared; what Python hands in instead of a file may be an array."""


class Settings:
    """An instance of a class of settings, by the names of its leaves."""

    def __init__(self, options: Any) -> None:
        self.options = options
        self.known: Mapping[str, Leaf] = leaves(type(options))

    def __getitem__(self, name: str) -> Any:
        """The value of a setting; None of one that the class does not have."""
        return self.known[name].of(self.options) if name in self.known else None

    def is_said(self, name: str) -> bool:
        """True where a setting is not as it is by default."""
        if name not in self.known:
            return False
        value = self[name]
        return not isinstance(value, _PLAIN) or value != self.known[name].default

    def is_on(self, name: str) -> bool:
        """True where a setting has a value at all."""
        value = self[name]
        return not isinstance(value, _PLAIN) or value not in (None, False, 0, "")

    def words(self, name: str) -> str:
        """The value of a setting, in short."""
        value = self[name]
        if value is True or value is None:
            return "none" if value is None else "both"
        if isinstance(value, float):
            return f"{value:g}"
        return f"{value}" if isinstance(value, _PLAIN) else type(value).__name__


class Rule(NamedTuple):
    """One rule.

    Attributes:
        about: settings, each of which is against the rule where it is said and `fails` is true.
        beside: settings that `fails` asks for; a class that has not all of them has not the rule.
        fails: takes the settings.
        expected, given, where, remedy: of the sentence, see `checks.fail`; {name} and {value} are
            those of the setting that is against the rule, {others} names those of `beside`, {NAME}
            is the value of one of them.
        but_for: commands that do not have the rule.
        any_of: it is enough that the class has one of `beside`.
    """

    about: tuple[str, ...]
    beside: tuple[str, ...]
    fails: Callable[[Settings], bool]
    expected: str
    given: str | Callable[[Settings], str]
    remedy: str
    where: str = "{name}"
    but_for: tuple[str, ...] = ()
    any_of: bool = False


def needs(about: Iterable[str], one_of: Iterable[str], remedy: str,
          but_for: tuple[str, ...] = ()) -> Rule:
    """The rule that settings say something beside one of others only."""
    others = tuple(one_of)
    return Rule(tuple(about), others, lambda settings: not any(map(settings.is_on, others)),
                "{others} together with {name}", "none", remedy, but_for=but_for, any_of=True)


def excludes(about: Iterable[str], other: str, remedy: str = "leave one of them out",
             why: str = "", but_for: tuple[str, ...] = ()) -> Rule:
    """The rule that settings say nothing beside another one."""
    return Rule(tuple(about), (other,), lambda settings: settings.is_on(other),
                f"no {{name}} beside {option_of(other)}{why}", "{value}", remedy, but_for=but_for)


def _drawn(settings: Settings) -> float:
    return float(sum(settings[name] for name in DRAWN))


DRAWN = ("shaded", "narrow", "breached", "held")
"""Kinds of breaks that a mixture of training draws, by their shares."""
_LEAVE = "leave one of the two out"

RULES = (
    # breaks
    needs(("treatments", "treatment_age"), ("treatment",),
          "name a treatment, or leave it out"),
    excludes(("break_kind",), "treatment", why=", whose table says it"),
    Rule(("break_width_m", "breach"), ("break_kind",),
         lambda given: given["treatment"] is None and given["break_kind"] == "shaded",
         "no {name} beside --break-kind shaded", "{value}",
         "leave it out, or choose the other --break-kind"),
    needs(("response_min", "crew_speed_km_h", "crew_km", "hold_in"), ("hold",),
          "give --hold hand or equipment, or leave it out", but_for=("run",)),
    Rule(("hold",), ("break_kind", "breach"),
         lambda given: given["treatment"] is None and given["break_kind"] == "hard"
         and given["breach"] in (None, "never"), "breaks that fire can cross",
         "hard breaks that nothing crosses", "give --break-kind shaded, or a rule of --breach"),
    needs(("roads",), ("hold", "cost_per_km"), "say who comes by the roads, or leave it out",
          but_for=("landscape lines", "read_landscape")),
    # fires and what they destroy
    excludes(("burned_share", "burning_hours", "burning_periods"), "duration_min",
             but_for=("run",)),
    excludes(("burned_share",), "burning_hours"),
    needs(("value_unit",), ("value", "layers"), "say what is worth so much, or leave it out"),
    excludes(("value", "losses"), "layers", "put the value and its losses into the layers"),
    *(excludes((name,), "weather", but_for=own) for name, own in (
        ("wind_from_deg", ()), ("wind_20ft_km_h", ("run",)))),
    Rule(("house_buffer",), ("kinds",), lambda settings: "corridor" not in settings["kinds"],
         "corridors among --kinds together with {name}", "none", "leave it out"),
    # a plan
    needs(("only_lines",), ("lines",), "name the file of lines, or leave it out"),
    *(excludes(("house_buffer",), other, why=", which plans without corridors")
      for other in ("cells", "only_lines")),
    excludes(("cells",), "only_lines", "leave one of them out: either plans without corridors"),
    excludes(("improve",), "only_lines"),
    excludes(("improve",), "existing", "leave one of them out: both name a network"),
    needs(("discount_rate",), ("horizon",), "say how many years, or leave it out"),
    Rule(("test_fires",), ("report",), lambda settings: settings["test_fires"] == 1,
         "at least 2 test fires, or 0 for none", "1", "1000 is usual"),
    *(Rule((name,), ("report", "test_fires"), lambda settings: settings["test_fires"] == 0,
           f"test fires together with {words}", "none", _LEAVE, where="--test-fires 0")
      for name, words in (("existing", "{name}"), ("improve", "{name}"),
                          ("fires_per_ha_year", "{name}"))),
    Rule(("report",), ("test_fires",), lambda settings: settings["test_fires"] == 0
         and settings["report"] in ("full", "brief"), "test fires together with --report {value}",
         "none", _LEAVE, where="--test-fires 0"),
    Rule(("horizon",), ("test_fires",), lambda settings: settings["test_fires"] == 0,
         "no --test-fires 0 beside --horizon", "both", "leave one of them out"),
    Rule(("horizon",), ("report",), lambda settings: settings["report"] in ("none", "brief"),
         "no --report {report} beside --horizon", "both", "leave one of them out"),
    Rule(("horizon",), ("treatment_age",), lambda settings: settings.is_said("treatment_age"),
         "no --treatment-age beside --horizon", "both", "leave one of them out"),
    # a comparison
    needs(("windows",), ("window",),
          "say how many rows and columns a window has, or leave it out"),
    excludes(("window",), "area"),
    # where the work is done
    needs(("workers",), ("executor",), "add --executor processes"),
    # a run
    Rule(("hours", "wind_towards"), ("weather", "reward_fires"),
         lambda settings: settings["weather"] is None, "--weather together with {name}", "none",
         "name the weather file that it is about, or leave it out"),
    Rule(("family",), ("fbp",), lambda settings: not settings["family"].strip(),
         "the name of a synthetic family", "an empty one",
         "leave it out: then all of them are drawn"),
    excludes(("value_maps",), "layers", "put every value and its losses into the layers"),
    Rule(("layers",), ("kind",), lambda settings: settings["kind"] == "synthetic",
         "windows of maps together with --layers", "synthetic landscapes",
         'set landscapes.kind = "windows"'),
    Rule(DRAWN, DRAWN, lambda settings: _drawn(settings) > 1.0 + 1e-9,
         f"shares of {', '.join(DRAWN)} breaks that sum to at most 1",
         lambda settings: f"{_drawn(settings):g}", "lower one of them"),
    excludes(("changing_weather",), "weather"),
    excludes(("fbp",), "family"),
    Rule(("fbp",), ("kind",), lambda settings: settings["kind"] == "windows",
         "synthetic landscapes together with --fbp", "windows of maps", "leave it out"),
    excludes((*DRAWN, "slope_costs"), "treatment", why=", whose table says what breaks are and "
             "cost"),
    excludes(("held",), "hold", "leave one of them out: fires of all environments burn in one "
             "native call, with one rule of crews"),
    Rule(("collectors",), ("sizes",), lambda settings: len(settings["sizes"]) > 1,
         "one map size together with --collectors", lambda settings: f"{len(settings['sizes'])}",
         "leave the others out"),
    Rule(("segments", "fit_steps"), ("discount",), lambda settings: settings["discount"] > 0.0,
         "--discount = 0 together with {name}", "{discount}", "set it, or leave {name} out"),
    Rule(("segments", "fit_steps"), ("gain_share", "discount_end"),
         lambda given: not given["gain_share"] > 0.0 == given["discount_end"],
         "--gain-share above 0 and --discount-end = 0 together with {name}",
         "{gain_share} and {discount_end}", "set them, or leave it out"),
    # fires on a map, and what is shown
    Rule(("observed",), ("fires",), lambda settings: settings["fires"] != 1,
         "--fires 1 together with --observed", "{fires} fires", "burn the one fire that was "
         "observed"),
    needs(("port",), ("serve",), "add it, or leave --port out"),
)
"""The rules of all commands, functions and files."""

WEATHER_RULES = (
    needs(("hours", "wind_towards", "moisture"), ("weather",),
          "name the weather file that it is about, or leave it out"),
)
"""Rules of weather, where it is known whether a landscape brings its own."""

AT_ONCE = (
    *(Rule((name,), ("report",), lambda settings: settings["report"] == "none",
           "a report together with {name}", "none", _LEAVE, where="--report none")
      for name in ("existing", "improve")),
    Rule(("fires_per_ha_year",), ("report",),
         lambda settings: settings["report"] in ("none", "brief"),
         "--report full together with {name}", "none", _LEAVE, where="--report {report}"),
)
"""Further rules of plans that are judged at once: one tile by tile has another report."""

BY_WINDOWS = (
    Rule(("house_buffer", "only_lines"), (), lambda settings: True,
         "no {name} for a plan by windows", "it", "leave it out, or plan at once: without options "
         "of windows, of a large map a part (--area)"),
)
"""Further rules of plans by windows."""


def check(options: Any, command: str = "", rules: Iterable[Rule] = RULES) -> None:
    """Refuses settings that say nothing beside one another, or contradict one another.

    Args:
        command: that they are of.

    Raises:
        InputError: naming the settings as options.
    """
    settings = Settings(options)
    for rule in rules:
        there = [name for name in rule.beside if name in settings.known]
        if command in rule.but_for or len(there) < (1 if rule.any_of else len(rule.beside)):
            continue
        for name in filter(settings.is_said, rule.about):
            if rule.fails(settings):
                words = {other: settings.words(other) for other in there} | {
                    "name": option_of(name), "value": settings.words(name),
                    "others": " or ".join(map(option_of, there))}
                given = rule.given if isinstance(rule.given, str) else rule.given(settings)
                raise fail(expected=rule.expected.format(**words), given=given.format(**words),
                           where=rule.where.format(**words), remedy=rule.remedy.format(**words))


def check_method(options: Any, methods: Collection[str],
                 heeding: Mapping[str, tuple[str, Collection[str]]]) -> None:
    """Refuses settings that none of the methods that are asked for heeds.

    Args:
        methods: that are asked for.
        heeding: setting -> in words what methods do that heed it, and which do.

    Raises:
        InputError: naming the setting and the methods that heed it.
    """
    settings = Settings(options)
    for name, (does, those) in heeding.items():
        if settings.is_said(name) and not {*those} & {*methods}:
            raise fail(expected=f"a method that {does}: {', '.join(those)}",
                       given=", ".join(methods) or "none", where=option_of(name),
                       remedy="name one of them, or leave it out")
