"""The sealed test set: land that no policy was trained on or chosen by, to be opened once.

    python benchmarks/sealed.py check --data FOLDER
    python benchmarks/sealed.py open --data FOLDER --policy NEW --records FILE --open-once

`benchmarks/sealed.json` says what it holds: fresh maps of the families that training draws, a
family that has no name in the package, windows of real maps by the rule of `sealed_windows`, and
which methods are measured on them with what. No table compares methods on these windows, but
docs/scale.md plans all of Santa Ana, in which 13 of them lie. `check` compares file and land with
their checksums and burns nothing. `open` measures the policy beside the one that comes with the
package. It first writes when and for which policies, code and records it was opened (commit that
file: it was, for the policy that comes with the package now); the same command goes on where it
stopped, and nothing else is measured after that. Its records lie in docs/results/records by part
and budget (`sealed*.jsonl`).

The file stops a second opening in the checkout that it lies in, and in those that have its commit.
A checkout without it could open the set again: that it was opened once rests on committing the file
before anything is measured, and on looking for it in every branch before.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from protocol import Part, Set, append, landscapes, measure, name_of, read_records

import firebreak
from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import POLICY, SHIPPED
from firebreak.checks import InputError, fail
from firebreak.files import write_text
from firebreak.landscape.synthetic.families import Family
from firebreak.native_library import set_threads

SPEC = Path(__file__).with_name("sealed.json")
OPENED = Path(__file__).with_name("sealed-opened.json")
SHA256 = "268f69c7b1179650375ca6ca611e830fffbea9625e675db3ab7059f4caddb4b7"
"""Of the specification, see `checksum`."""

Spec = dict[str, Any]


def specification() -> Spec:
    """Content of the sealed set.

    Raises:
        InputError: it is not what was sealed.
    """
    spec: Spec = json.loads(SPEC.read_text(encoding="utf-8"))
    if checksum(spec) != SHA256:
        raise fail(expected=f"the specification that was sealed, {SHA256[:12]}",
                   given=checksum(spec)[:12], where=str(SPEC),
                   remedy="take the file as it was committed")
    return spec


def checksum(spec: Spec) -> str:
    """Hash of a specification, however its file is laid out."""
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def sets_of(spec: Spec) -> dict[str, Set]:
    """The sets of land by name."""
    own = _family(spec["family"])
    found = {}
    for given in spec["sets"]:
        family = given.get("family")
        corners = tuple((row, col) for row, col in given.get("corners", ()))
        found[given["name"]] = Set(**(given | {
            "family": own if family == own.name else family, "corners": corners}))
    return found


def parts_of(spec: Spec) -> dict[str, Part]:
    """Measurements by name, and the sets of each."""
    sets = sets_of(spec)
    return {name: Part(**{key: tuple(value) if isinstance(value, list) else value
                          for key, value in given.items()} | {
        "sets": tuple(sets[one] for one in given["sets"]), "seed": spec["seed"]})
        for name, given in spec["parts"].items()}


def _family(given: Spec) -> Family:
    def fixed(value: Any) -> Any:
        return tuple(map(fixed, value)) if isinstance(value, list) else value

    return Family(**{name: fixed(value) for name, value in given.items()})


def land_checksum(one: Set, data: Path, seed: int) -> str:
    """Hash of the land of a set; no fire burns for it."""
    digest = hashlib.sha256()
    for land in landscapes(one, data, seed):
        digest.update(land.checksum().encode())
    return digest.hexdigest()


def check(spec: Spec, data: Path) -> None:
    """Compares the land with that which was sealed.

    Raises:
        InputError: a set of it is other land.
    """
    for name, one in sets_of(spec).items():
        found = land_checksum(one, data, spec["seed"])
        if found != spec["land"][name]:
            raise fail(expected=f"the land that was sealed, {spec['land'][name][:12]}",
                       given=found[:12], where=name,
                       remedy="use the maps and the generator of that time")


def begin(policies: Sequence[Path], records: Path) -> None:
    """Writes for which policies, code and records the set was opened, or finds that it was for the
    same.

    Raises:
        InputError: it was opened for others; two policies have one name.
    """
    names = [name_of(path) for path in policies]
    if len(set(names)) < len(names):
        raise fail(expected="a policy of another name than the shipped one", given=names[0],
                   where="--policy", remedy="rename the file or the folder")
    asked = {"policies": {name: hashlib.sha256(_file(path).read_bytes()).hexdigest()
                          for name, path in zip(names, policies, strict=True)},
             "code": hash_of_code(),
             "records": os.path.relpath(records.resolve(), SPEC.parent)}
    if not OPENED.exists():
        write_text(OPENED, json.dumps({
            "opened": datetime.now(UTC).isoformat(timespec="seconds"), "specification": SHA256,
            "version": firebreak.__version__, **asked}, indent=1) + "\n")
        return
    before = json.loads(OPENED.read_text(encoding="utf-8"))
    for name, given in asked.items():
        if before[name] != given:
            raise fail(expected=f"the {name} that it was opened for",
                       given=f"others than in {OPENED.name}",
                       where=f"sealed test set, opened {before['opened']}",
                       remedy="go on with the same, or seal another set")


def hash_of_code() -> str:
    """Digest of all modules of the package, and of those here that measure."""
    package = Path(firebreak.__file__).parent
    files = [*sorted(package.rglob("*.py")),
             *(SPEC.with_name(name) for name in ("flow_lines.py", "protocol.py", "sealed.py"))]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _file(path: Path) -> Path:
    return path / POLICY if path.is_dir() else path


def open_once(spec: Spec, data: Path, policies: Sequence[Path], records: Path) -> None:
    """Measures all parts; what is in the records already is not measured again."""
    check(spec, data)
    loaded = {name_of(path): load_policy(path) for path in policies}
    begin(policies, records)
    done = {record["key"] for record in read_records(records)}
    for name, part in parts_of(spec).items():
        append(records, measure(name, part, data, loaded, done, max(
            one.count for one in part.sets)))


def _told(spec: Spec) -> str:
    lines = [f"sealed test set {SHA256[:12]}, "
             f"{'opened' if OPENED.exists() else 'not opened'}"]
    lines += [f"  {one.name}: {one.count} maps" for one in sets_of(spec).values()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit code."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = options.add_subparsers(dest="command", required=True)
    for name, text in (("check", "compare file and land with their checksums"),
                       ("open", "measure a policy beside the shipped one, once")):
        command = commands.add_parser(name, help=text)
        command.add_argument("--data", type=Path, required=True, help="folder of the maps")
    command.add_argument("--policy", type=Path, required=True, help="a run or policy file")
    command.add_argument("--records", type=Path, required=True, help="file of the records")
    command.add_argument("--open-once", action="store_true", help="needed, since it counts once")
    args = options.parse_args(arguments)
    try:
        spec = specification()
        if args.command == "check":
            check(spec, args.data)
        elif not args.open_once:
            raise fail(expected="--open-once, since the set counts once", given="none",
                       where="sealed test set",
                       remedy="give it when policy, methods and the words of the page are final")
        else:
            set_threads(1)
            torch.set_num_threads(1)
            open_once(spec, args.data, [args.policy, SHIPPED], args.records)
    except InputError as error:
        print(f"sealed.py: {error}", file=sys.stderr)
        return 2
    print(_told(spec))
    return 0


if __name__ == "__main__":
    sys.exit(main())
