"""Cases of validation, the rules that judge them, and the list of all.

The fields follow ASTM E1355 (evaluation of the predictive capability of fire models): each case
belongs to one of its four areas, and its tolerance is written before it is run.
"""

import importlib
import json
import math
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from firebreak.checks import fail
from firebreak.files import replacing

Area = Literal["scenarios", "theory", "numerics", "accuracy"]
AREAS: tuple[Area, ...] = get_args(Area)
"""The four areas of ASTM E1355: definition of model and scenarios; theoretical basis and
assumptions; mathematical and numerical robustness; uncertainty and accuracy."""
Rule = Literal["relative", "absolute", "at most", "at least"]
Status = Literal["pass", "fail", "not evaluable"]
STATUSES: tuple[Status, ...] = get_args(Status)


class Places(NamedTuple):
    """Folders of data that are not in the repository: landscapes, and reference numbers."""

    data: Path
    reference: Path


@dataclass(frozen=True)
class Check:
    """One quantity of a case and how far off it may be.

    Attributes:
        quantity: what is compared, unique in its case.
        rule: "relative" and "absolute" bound the distance from what is expected; "at most" and
            "at least" bound the quantity itself.
        limit: the tolerance.
        expected: as published; None where the case computes it, or where nothing is expected.
        unit: of the quantity.
    """

    quantity: str
    rule: Rule
    limit: float
    expected: float | None = None
    unit: str = ""

    def holds(self, found: float, expected: float | None) -> bool:
        """True if a quantity lies within the tolerance; nan never does."""
        if self.rule == "at most":
            return found <= self.limit
        if self.rule == "at least":
            return found >= self.limit
        if expected is None:
            raise ValueError(f"{self.quantity}: nothing to compare with")
        scale = abs(expected) if self.rule == "relative" else 1.0
        return abs(found - expected) <= self.limit * scale


Measured = Mapping[str, float | tuple[float, float]]
"""By the quantity of each check: what was found, or (found, expected) where the case computes what
is expected."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One comparison of firebreak with another program, a closed form or an observed fire.

    Attributes:
        identifier: stable, unique, never used again for another case.
        title: what is compared.
        area: of ASTM E1355.
        source: where the expected numbers or the equations come from.
        inputs: what is burned, in which weather, on which grid.
        checks: the tolerances.
        measure: runs the case; None where it cannot be run yet.
        needs: what it reads outside of the repository: "data/..." or "reference/...".
        missing: why it cannot be run yet.
        known: its result was known when it entered the registry.
        slow: takes more than some seconds.
        remark: what explains a result; it does not change the verdict.
    """

    identifier: str
    title: str
    area: Area
    source: str
    inputs: str
    checks: tuple[Check, ...]
    measure: Callable[[Places], Measured] | None = None
    needs: tuple[str, ...] = ()
    missing: str = ""
    known: bool = False
    slow: bool = False
    remark: str = ""


@dataclass(frozen=True)
class Judged:
    """A check and its result; the numbers are None in a case that is not evaluable."""

    quantity: str
    rule: Rule
    limit: float
    unit: str
    expected: float | None
    found: float | None
    passed: bool | None


@dataclass(frozen=True)
class Record:
    """The result of a case. reason: why it is not evaluable, else empty."""

    identifier: str
    status: Status
    reason: str
    checks: tuple[Judged, ...]


def all_cases() -> list[Case]:
    """The cases of every module of `benchmarks.validation.cases`, in the order of their names.

    Raises:
        InputError: two cases have one identifier.
    """
    folder = Path(__file__).parent / "cases"
    names = sorted(module.name for module in pkgutil.iter_modules([str(folder)]))
    cases = [case for name in names for case in importlib.import_module(
        f"benchmarks.validation.cases.{name}").CASES]
    check_unique(cases)
    return cases


def check_unique(cases: Sequence[Case]) -> None:
    """Refuses two cases of one identifier.

    Raises:
        InputError: names the identifiers.
    """
    twice = [name for name, count in Counter(case.identifier for case in cases).items()
             if count > 1]
    if twice:
        raise fail(expected="one case for an identifier", given=f"two for {', '.join(twice)}",
                   where="benchmarks/validation/cases", remedy="give the newer case another one")


def absent(case: Case, places: Places) -> str:
    """Why a case cannot be evaluated here; empty if it can."""
    if case.missing or case.measure is None:
        return case.missing
    folders = places._asdict()
    lacking = [need for need in case.needs
               if not (folders[need.partition("/")[0]] / need.partition("/")[2]).exists()]
    return f"needs {' and '.join(lacking)}, not here" if lacking else ""


def judge(case: Case, places: Places) -> Record:
    """Runs a case and compares what it found with its tolerances."""
    reason = absent(case, places)
    if reason or case.measure is None:
        return Record(case.identifier, "not evaluable", reason, tuple(
            Judged(check.quantity, check.rule, check.limit, check.unit, check.expected, None, None)
            for check in case.checks))
    measured = case.measure(places)
    if measured.keys() != {check.quantity for check in case.checks}:
        raise ValueError(f"{case.identifier}: measured {sorted(measured)}")
    judged = tuple(_judged(check, measured[check.quantity]) for check in case.checks)
    return Record(case.identifier, "pass" if all(each.passed for each in judged) else "fail", "",
                  judged)


def _judged(check: Check, measured: float | tuple[float, float]) -> Judged:
    found, expected = measured if isinstance(measured, tuple) else (measured, check.expected)
    passed = math.isfinite(found) and check.holds(found, expected)
    return Judged(check.quantity, check.rule, check.limit, check.unit,
                  None if expected is None else float(expected), float(found), bool(passed))


def judge_all(cases: Iterable[Case], places: Places,
              say: Callable[[str], object] = print) -> list[Record]:
    """The records of cases; `say` gets a line for each."""
    records = []
    for case in cases:
        records.append(judge(case, places))
        say(f"{case.identifier}: {records[-1].status}")
    return records


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Writes records as JSON."""
    text = json.dumps([asdict(record) for record in records], indent=1)
    with replacing(path) as partial:
        partial.write_text(text + "\n", encoding="utf-8")


def read_records(path: Path) -> list[Record]:
    """Reads what `write_records` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Record(row["identifier"], row["status"], row["reason"],
                   tuple(Judged(**check) for check in row["checks"])) for row in rows]
