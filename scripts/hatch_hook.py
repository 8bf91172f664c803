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
        try:
            found = BUILD.find_compiler() if not os.environ.get("FIREBREAK_WHEEL") else None
        except BUILD.BuildError as error:
            raise SystemExit(str(error)) from None
        return [] if found else [BUILD.ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the library and says where it goes."""
        try:
            self._build(version, build_data)
        except BUILD.BuildError as error:  # one sentence in pip's output, no traceback
            raise SystemExit(str(error)) from None

    def _build(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            BUILD.build_here()
            return
        target = os.environ.get("FIREBREAK_WHEEL", "")
        self._folder = tempfile.TemporaryDirectory(prefix="firebreak-")
        for path in BUILD.build_levels(Path(self._folder.name), target):
            for file in (path, BUILD.NAMES.sum_of(path)):
                build_data["force_include"][str(file)] = (
                    f"firebreak/native_library/built/{file.name}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{BUILD.wheel_platform(target)}"
