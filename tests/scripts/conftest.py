"""What tests of programs beside the package share."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def load() -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of benchmarks/validation."""
    yield from _modules_of("validation")


@pytest.fixture(scope="module")
def load_jobs() -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of benchmarks/jobs."""
    yield from _modules_of("jobs")


def _modules_of(package: str) -> Iterator[Callable[[str], ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield lambda name: importlib.import_module(f"benchmarks.{package}.{name}")
