"""Fixtures shared by all tests. What takes seconds to import is imported by the fixtures: pytest's
first process, which runs no test where there are others, reads this file before it starts them.
"""

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounding", type=int, metavar="N",
                     help="let PyTorch round as on another processor, see tests/rounding")
    parser.addoption("--torch-threads", type=int, default=1, metavar="N",
                     help="threads of the networks in the tests' own process (1)")


def pytest_configure(config: pytest.Config) -> None:
    """`--rounding` begins before anything imports torch.

    A shell lets what it starts in the background ignore SIGINT, and its children inherit that:
    tests that send the signal would then wait for nothing."""
    if config.getoption("--rounding") is not None:
        import rounding

        rounding.begin(config.getoption("--rounding"))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of modules and tests are made, of which none becomes garbage: nobody looks for it
    meanwhile, and later collections pass them over. No example has a deadline: a machine may be
    busy.
    """
    from hypothesis import settings

    settings.register_profile("firebreak", deadline=None)
    settings.load_profile("firebreak")
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture
def bare_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of runs that are not about memory."""
    from bare import without_looks_at_memory

    without_looks_at_memory(monkeypatch)


@pytest.fixture(autouse=True)
def _one_thread(request: pytest.FixtureRequest) -> None:
    """One thread each for fires and network: tests run beside one another."""
    import torch

    from firebreak.native_library import set_threads

    set_threads(1)
    torch.set_num_threads(request.config.getoption("--torch-threads"))


@pytest.fixture(autouse=True, scope="session")
def _advice_that_can_be_taken() -> Iterator[None]:
    """Every error that a command ends with in any test advises options that the command has."""
    from advice import strange_options
    from firebreak import cli
    from firebreak.checks import InputError

    run = cli._run

    def checked(given: list[str]) -> int:
        try:
            return run(given)
        except InputError as error:
            strange = strange_options(error, given)
            if strange:
                raise AssertionError(f"no option: {', '.join(strange)}; told: {error}") from error
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "_run", checked)
        yield


@pytest.fixture(scope="session")
def reference_dir() -> Path:
    """The folder of reference numbers: FIREBREAK_REFERENCE, or the one beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "reference"
    folder = Path(os.environ.get("FIREBREAK_REFERENCE", default))
    if not folder.is_dir():
        pytest.skip(f"no reference numbers in {folder}; set FIREBREAK_REFERENCE to their folder")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real landscapes: FIREBREAK_DATA, or the one beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "landscapes"
    folder = Path(os.environ.get("FIREBREAK_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no landscapes in {folder}; set FIREBREAK_DATA to their folder")
    return folder
