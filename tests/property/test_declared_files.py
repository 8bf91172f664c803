"""Valid files that declare something unusual are read as they say, or refused in a sentence."""

from pathlib import Path

import pytest

from faults.declared import KINDS, Kind, outcome, plain_numbers, tried

QUICK = ("landscape GeoTIFF", "value raster")
RIGHT = {"read", "refused", "warned", ""}


@pytest.mark.parametrize(("kind", "drawn"), [
    *(pytest.param(kind, 0, id=f"{kind.name}, alone") for kind in KINDS if kind.name in QUICK),
    *(pytest.param(kind, 60, id=kind.name, marks=pytest.mark.slow) for kind in KINDS)])
@pytest.mark.timeout(600)
def test_properties_alone_and_together_are_used_or_refused(tmp_path: Path, kind: Kind,
                                                           drawn: int) -> None:
    """Those that are refused are listed: whatever else is declared is read as it says."""
    found = tried(kind, tmp_path, drawn)
    assert {what: says for what, says in found.items() if what not in RIGHT} == {}
    for says in found.get("read", []):
        assert not kind.refused & says.items()
    plain = kind.plain().items()
    refused, warned = ({pair for says in found.get(what, []) if len(says.items() - plain) == 1
                        for pair in says.items() - plain} for what in ("refused", "warned"))
    assert (refused, warned) == (kind.refused, kind.warned)


def test_other_numbers_than_the_plain_file_has_are_seen(tmp_path: Path) -> None:
    kind = next(kind for kind in KINDS if kind.name == "station table")
    deaf = kind._replace(read=lambda path: {
        name: numbers * (2.0 if path.parent.name == "other" else 1.0)
        for name, numbers in kind.read(path).items()})
    expected = plain_numbers(deaf, tmp_path / "plain")
    assert outcome(deaf, expected, kind.plain(), tmp_path / "a" / "other"
                   ) == "hour is 1440 instead of 720"
    raising = kind._replace(read=lambda _: {"wind": 1 / 0})
    assert outcome(raising, expected, kind.plain(), tmp_path / "b").startswith("ZeroDivisionError")
