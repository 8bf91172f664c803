"""Lists the licences of everything that firebreak installs, as docs/licences.md.

Run it in an environment that has firebreak: python scripts/licences.py > docs/licences.md
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

HEAD = """# Licences

firebreak is under the [MIT licence](https://opensource.org/license/mit). What `pip install
firebreak` brings, with the licence that each package names in its own metadata, in the versions of
`constraints.txt` (`python scripts/licences.py` makes this page anew):

| package | version | licence |
|---|---|---|"""


def needed(name: str, found: dict[str, Distribution]) -> None:
    """Adds a package and, in turn, what it needs without extras on this machine."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return
    found[key] = distribution(name)
    for text in found[key].requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            needed(requirement.name, found)


def licence_of(package: Distribution) -> str:
    """What the metadata says: an expression, a short text, or classifiers."""
    about = package.metadata
    short = (about.get("License") or "").strip()
    classified = [line.split(" :: ")[-1] for line in about.get_all("Classifier") or ()
                  if line.startswith("License :: ")]
    if about.get("License-Expression"):
        return about["License-Expression"]
    return short if short and "\n" not in short and len(short) < 60 else ", ".join(classified)


def main() -> int:
    """Prints the page."""
    found: dict[str, Distribution] = {}
    try:
        needed("firebreak", found)
    except PackageNotFoundError as error:
        print(f"licences: expected all dependencies installed, got none of {error.name}; "
              "run 'python3 scripts/run.py setup'", file=sys.stderr)
        return 2
    del found["firebreak"]
    rows = [f"| {name} | {one.version.partition('+')[0]} | {licence_of(one) or 'not stated'} |"
            for name, one in sorted(found.items())]
    print("\n".join([HEAD, *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
