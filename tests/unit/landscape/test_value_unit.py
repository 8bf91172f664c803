"""What values are counted in."""

import pytest

from firebreak.checks import InputError
from firebreak.landscape.value_unit import LONGEST, UNKNOWN, checked_unit, unit_of_file


@pytest.mark.parametrize(("stem", "unit"), [
    ("houses", "houses"), (" my houses ", "my houses"), ("h" * LONGEST, "h" * LONGEST),
    ("h" * 200, "h" * (LONGEST - 3) + "..."), ("evil\x1b[31m", "evil [31m"), ("\n", UNKNOWN)])
def test_a_file_names_a_unit_that_can_stand_behind_a_number(stem: str, unit: str) -> None:
    found = unit_of_file(stem)
    assert found == unit
    assert checked_unit(found, "x") == found


@pytest.mark.parametrize("name", ["", " ", "u" * (LONGEST + 1), "a\nb"])
def test_a_unit_that_cannot_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="the name of a unit"):
        checked_unit(name, "--value-unit")
