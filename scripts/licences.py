"""Lists the licences of everything that firebreak installs, as docs/licences.md.

Run it where firebreak is installed with all its extras:

    python scripts/licences.py > docs/licences.md
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from packaging.requirements import Requirement

HEAD = """# Licences

firebreak is under the [MIT licence](https://opensource.org/license/mit). Three parts of its source
are not its own or not under it: the sample landscape is LANDFIRE's and the outlines of countries on
maps are Natural Earth's, both in the public domain; the QGIS provider (`qgis/`, not in wheels)
is under the GNU General Public Licence, version 2 or later.

What `pip install .` in a checkout brings, with the licence that each package names in its own
metadata, in the versions of `constraints.txt` (`python scripts/licences.py` makes this page anew):
"""
TABLE = """| package | version | licence |
|---|---|---|"""
EXTRAS = """
## Extras

What an extra brings beyond that, as in `pip install ".[ray]"`. firebreak runs without them;
`docs`, `browser`, `interop` and `dev` are for those who change it.
"""


def needed(name: str, found: dict[str, Distribution], extra: str = "") -> None:
    """Adds a package and, in turn, what it needs on this machine, with an extra of its own or none.
    """
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found and not extra:
        return
    found[key] = distribution(name)
    for text in found[key].requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            needed(requirement.name, found)


def rows_of(found: dict[str, Distribution]) -> list[str]:
    """Lines of the table, by name."""
    return [f"| {name} | {one.version.partition('+')[0]} | {licence_of(one) or 'not stated'} |"
            for name, one in sorted(found.items())]


def licence_of(package: Distribution) -> str:
    """Licence by the metadata: an expression, a short text, or classifiers; else the first line of
    the licence that comes with the package.
    """
    about: Any = package.metadata  # an email.message.Message, which its type does not say
    short = (about.get("License") or "").strip()
    classified = [line.split(" :: ")[-1] for line in about.get_all("Classifier") or ()
                  if line.startswith("License :: ")]
    if about.get("License-Expression"):
        return about["License-Expression"]
    if short and short != "UNKNOWN" and "\n" not in short and len(short) < 60:
        return short
    return ", ".join(classified) or next(
        (file.read_text().strip().splitlines()[0] for file in package.files or ()
         if file.name == "LICENSE"), "")


def main() -> int:
    """Prints the page."""
    found: dict[str, Distribution] = {}
    page = [HEAD, TABLE]
    try:
        needed("firebreak-planner", found)
        own = found["firebreak-planner"]
        page += [*rows_of({name: one for name, one in found.items() if one is not own}), EXTRAS]
        for extra in own.metadata.get_all("Provides-Extra") or ():
            more: dict[str, Distribution] = {}
            needed("firebreak-planner", more, extra)
            page += [f"### {extra}\n", TABLE,
                     *rows_of({name: more[name] for name in more if name not in found}), ""]
    except PackageNotFoundError as error:
        print(f"licences: expected all extras installed, got none of {error.name}; "
              "run 'pip install -c constraints.txt -e .[EXTRA]' for each", file=sys.stderr)
        return 2
    print("\n".join(page).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
