"""The budget of a plan: one setting with one limit or several, each in a unit of its own."""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from firebreak.reading import number_in
from firebreak.settings.conversion import MAX_NUMBER, UnfitError, converted, number_text, shown
from firebreak.settings.kinds import Positive, Share
from firebreak.settings.planning import BUDGET
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
    """Limits of a budget; each that is there holds. As text it reads as the option that gives it.

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

    def __str__(self) -> str:
        kept = (SHARE, self.share), (AREA, self.hectares), (
            (YEARS, self.years) if self.years else (MONEY, self.money))
        return _BETWEEN.join(_text(unit, value) for unit, value in kept if value is not None)

    def __repr__(self) -> str:
        return repr(self.plain())

    def plain(self) -> float | str:
        """The budget as files have it: a share alone as a number, anything else as text."""
        return self.share if self.share is not None and self == Limits(self.share) else str(self)


def read_budget(raw: Any) -> Limits:
    """The limits that a budget says.

    raw: a number, a text or `Said`, or a list of them; or limits.

    Raises:
        UnfitError: no limit, one of 0 or below, an unknown unit, two limits of one unit.
    """
    if isinstance(raw, Limits):
        return raw
    found = [limit for one in (raw if isinstance(raw, list | tuple) and not isinstance(raw, Said)
                               else [raw]) for limit in _limits(one)]
    units = [_NAMES[unit] for unit, _ in found]
    twice = next((unit for unit in units if units.count(unit) > 1), None)
    if twice is not None or not units:
        raise UnfitError("limits in different units", f"two {twice}" if twice else "none",
                         "leave one of them out" if twice else "name one")
    said = dict(found)
    years = said.get(YEARS, ())
    return Limits(said.get(SHARE), said.get(AREA),
                  float(sum(money for _, money in years)) if years else said.get(MONEY), years)


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
        several = isinstance(text, str) and "," in text
        raise UnfitError(
            "a share (5%), an area (40ha), money (20000) or money by year "
            "(2027:50000,2028:80000), each above 0", given,
            "give --budget once for each limit; in a file or in Python a list of them" if several
            else "write one of them; a number up to 1 is a share, a larger one money")
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
    """A limit as it is read again, with its unit where a bare number would mean another."""
    if unit == YEARS:
        return ",".join(f"{year}:{number_text(money)}" for year, money in value)
    named = unit == AREA or (unit == MONEY and value <= 1.0)
    return f"{number_text(value)}{unit if named else ''}"


UNSAID, USUAL = Limits(), Limits(BUDGET)
Budget = Annotated[Limits, Reader(read_budget, "5%|40ha|MONEY")]
