"""Valid files that declare something unusual are read as they say, or refused in a sentence."""

from pathlib import Path

import pytest

from faults.declared import KINDS, Kind, outcome, tried

QUICK = ("landscape GeoTIFF", "gridded weather")
RIGHT = {"read", "refused", "warned", ""}


@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=() if kind.name in QUICK else pytest.mark.slow) for kind in KINDS],
    ids=lambda kind: kind.name)
def test_each_property_is_used_or_refused(tmp_path: Path, kind: Kind) -> None:
    """Those that are refused are listed: whatever else is declared is read as it says."""
    found = tried(kind, tmp_path, 0)
    assert {what: says for what, says in found.items() if what not in RIGHT} == {}
    plain = kind.plain().items()
    refused, warned = ({pair for says in found.get(what, []) for pair in says.items() - plain}
                       for what in ("refused", "warned"))
    assert (refused, warned) == (kind.refused, kind.warned)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_properties_together_are_used_or_refused(tmp_path: Path, kind: Kind) -> None:
    found = tried(kind, tmp_path, 60)
    assert {what: says for what, says in found.items() if what not in RIGHT} == {}
    for says in found.get("read", []):
        assert not kind.refused & says.items()


def test_other_numbers_than_the_plain_file_has_are_seen(tmp_path: Path) -> None:
    kind = next(kind for kind in KINDS if kind.name == "gridded weather")
    deaf = kind._replace(read=lambda path: {
        name: numbers * (2.0 if "other" in path.parts else 1.0)
        for name, numbers in kind.read(path).items()})
    assert outcome(deaf, kind.plain(), tmp_path / "a") == "wind is 804.672 instead of 402.336"
    raising = kind._replace(read=lambda path: {"wind": 1 / 0} if "other" in path.parts
                            else kind.read(path))
    assert outcome(raising, kind.plain(), tmp_path / "b").startswith("ZeroDivisionError")
