"""Small tables that users write in TOML: wind roses, value layers."""

import tomllib
from pathlib import Path

from firebreak.checks import fail


def read_settings(path: str | Path) -> dict[str, object]:
    """The tables of a file.

    Raises:
        InputError: no such file, or not TOML.
    """
    file = Path(path)
    if not file.is_file():
        raise fail(expected="a TOML file", given="nothing", where=str(path),
                   remedy="check the path")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise fail(expected="a TOML file", given=str(error), where=str(path),
                   remedy="correct this line") from error
