"""Builds the native library into a wheel, or beside the sources for `pip install -e`.

FIREBREAK_WHEEL names another target than this machine, as zig names it: x86_64-linux-gnu.2.28,
aarch64-linux-gnu.2.28.
"""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILD = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("build_native.py"))))


class NativeLibrary(BuildHookInterface):
    """The hook that `pyproject.toml` names."""

    def dependencies(self) -> list[str]:
        """Asks for a compiler from the package index where the machine has none."""
        found = BUILD.find_compiler() if not os.environ.get("FIREBREAK_WHEEL") else None
        return [] if found else [BUILD.ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the library and says where it goes."""
        if version == "editable":
            BUILD.build_here()
            return
        target = os.environ.get("FIREBREAK_WHEEL", "")
        folder = Path(tempfile.mkdtemp(prefix="firebreak-"))
        for path in BUILD.build_levels(folder, target):
            build_data["force_include"][str(path)] = f"firebreak/native_library/built/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{BUILD.wheel_platform(target)}"
