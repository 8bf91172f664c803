"""`firebreak policy convert`: a policy of an earlier version as a file of this one."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from firebreak.agent.policy_place import OLD_POLICY, file_at
from firebreak.checks import fail, unknown_name
from firebreak.cli.shared import common


@dataclass
class ConvertArguments:
    """Write a policy.pt of an earlier version in the format of this one."""

    old: Annotated[Path, tyro.conf.Positional]
    """A policy.pt, or the folder of a run that holds one."""
    new: Annotated[Path, tyro.conf.Positional]
    """The file to write, for example policy.safetensors in the same folder."""
    json: bool = False
    """End with one machine-readable line."""


def run(arguments: list[str]) -> int:
    """Runs `convert`."""
    if arguments[0] != "convert":
        raise unknown_name("action", arguments[0], ["convert"], "firebreak policy")
    return _convert(arguments[1:])


def _convert(arguments: list[str]) -> int:
    args = common.parse(ConvertArguments, common.without_seed(arguments), "policy convert")
    if args.new.is_dir() or not args.new.absolute().parent.is_dir():
        raise fail(expected="a file in a folder that exists", given="none such",
                   where=str(args.new), remedy="name the file to write, as policy.safetensors")
    begin = time.perf_counter()
    file_at(args.old / OLD_POLICY if args.old.is_dir() else args.old)
    from firebreak.agent.policy_file import convert_policy

    convert_policy(args.old, args.new)
    print(args.new)
    if args.json:
        common.print_json({"files": [str(args.new)], "seconds": time.perf_counter() - begin})
    return 0
