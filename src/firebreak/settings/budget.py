"""The budget of a plan: one setting with one limit or several, each in a unit of its own."""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from firebreak.reading import number_in
from firebreak.settings.conversion import MAX_NUMBER, UnfitError, converted, number_text, shown
from firebreak.settings.kinds import Positive, Share
from firebreak.settings.schema import Reader

SHARE, AREA, MONEY, YEARS = "share", "ha", "cost", "year"
"""Units of limits; `cost` is the unit of the costs."""
_NAMES = {SHARE: "shares", AREA: "areas", MONEY: "amounts of money", YEARS: "amounts of money"}
_BETWEEN = " and "


class Said(NamedTuple):
    """A limit whose unit follows from where it is said, such as `--money`."""

    unit: str
    raw: Any


class Limits(NamedTuple):
    """All that a budget says; every limit that is there holds.

    Attributes:
        share: of the cost of all treatable cells.
        hectares: that may be treated.
        money: in the unit of the costs; of years their sum.
        years: each year with its money, in the order in which they were said.
    """

    share: float | None = None
    hectares: float | None = None
    money: float | None = None
    years: tuple[tuple[int, float], ...] = ()


def read_budget(raw: Any) -> float | str:
    """A budget as it is kept: a share alone as a number, anything else as the text that says it.

    raw: a number, a text or `Said`, or a list of them.

    Raises:
        UnfitError: no limit, one of 0 or below, an unknown unit, two limits of one unit.
    """
    found = [limit for one in (raw if isinstance(raw, list | tuple) and not isinstance(raw, Said)
                               else [raw]) for limit in _limits(one)]
    units = [_NAMES[unit] for unit, _ in found]
    twice = next((unit for unit in units if units.count(unit) > 1), None)
    if twice is not None or not units:
        raise UnfitError("limits in different units", f"two {twice}" if twice else "none",
                         "leave one of them out" if twice else "name one")
    if units == [_NAMES[SHARE]]:
        return float(found[0][1])
    return _BETWEEN.join(_text(*one) for one in found)


def limits_of(budget: float | str) -> Limits:
    """The limits of a budget, as `read_budget` returns it."""
    found = dict(_limits(budget))
    years = found.get(YEARS, ())
    return Limits(found.get(SHARE), found.get(AREA),
                  float(sum(money for _, money in years)) if years else found.get(MONEY), years)


def _limits(raw: Any) -> Iterator[tuple[str, Any]]:
    """Each limit as its unit and its number; of years pairs of year and money."""
    if isinstance(raw, Said):
        yield raw.unit, _years(raw.raw) if raw.unit == YEARS else converted(Positive, raw.raw)
        return
    for part in raw.split(_BETWEEN) if isinstance(raw, str) else [raw]:
        yield _limit(part)


def _limit(part: Any) -> tuple[str, Any]:
    text = part.strip().lower() if isinstance(part, str) else part
    if isinstance(text, str) and ":" in text:
        return YEARS, _years(text)
    if isinstance(text, str) and text.endswith("%"):
        return SHARE, converted(Share, text)
    unit = next((unit for unit in (AREA, MONEY) if isinstance(text, str) and text.endswith(unit)),
                None)
    number = _number(text.removesuffix(unit) if unit else text)
    if number is None or not 0.0 < number <= MAX_NUMBER:
        given = shown(part) if number is None or unit else number_text(number)
        raise UnfitError("a share (5%), an area (40ha), money (20000) or money by year "
                         "(2027:50000,2028:80000), each above 0", given, "write one of them")
    return unit or (SHARE if number <= 1.0 else MONEY), number


def _number(text: Any) -> float | None:
    try:
        return None if isinstance(text, bool) else number_in(text) if isinstance(
            text, str) else float(text)
    except (TypeError, ValueError, OverflowError):
        return None


def _years(raw: Any) -> tuple[tuple[int, float], ...]:
    """Years with their money, of `2027:50000,2028:80000` or of the tables of a file."""
    tables = raw if isinstance(raw, list) else [
        dict(zip(("year", "budget"), part.split(":"), strict=False)) if part.count(":") == 1 else {}
        for part in str(raw).split(",")]
    found = []
    try:
        for table in tables:
            if set(table) != {"year", "budget"} or any(isinstance(one, bool)
                                                       for one in table.values()):
                raise ValueError
            year, money = (number_in(str(table[name])) for name in ("year", "budget"))
            if year != int(year):
                raise ValueError
            found.append((int(year), money))
    except (TypeError, ValueError, OverflowError):
        raise UnfitError("a year and a budget for each phase", shown(raw),
                         "write 2027:50000,2028:80000, or [[phase]] with year and budget",
                         ) from None
    return tuple(found)


def _text(unit: str, value: Any) -> str:
    if unit == YEARS:
        return ",".join(f"{year}:{number_text(money)}" for year, money in value)
    # A bare number of at most 1 is a share.
    named = unit == AREA or (unit == MONEY and value <= 1.0)
    return f"{number_text(value)}{unit if named else ''}"


Budget = Annotated[Positive | str, Reader(read_budget, "5%|40ha|MONEY")]
