"""Whatever stands in a file, its reader gives a result or one sentence."""

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from faults.hostile import STEPS, Reader, Step, fuzz
from faults.table import every_reader

_STEPS = st.lists(st.tuples(st.sampled_from(STEPS), st.floats(0, 1), st.integers(0, 2**32 - 1)),
                  min_size=1, max_size=4)


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> list[Reader]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(every_reader(tmp_path_factory.mktemp("hostile")))


@pytest.mark.slow
def test_whole_files_are_read(every: list[Reader]) -> None:
    assert len(every) >= 35
    for reader in every:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.read()


@pytest.mark.slow
# GDAL quotes what stands in a damaged file; rasterio's logger stumbles over what is no text.
@pytest.mark.filterwarnings(
    "ignore:.*rasterio._env.log_error:pytest.PytestUnraisableExceptionWarning")
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_STEPS)
@example([("cut", 0.0, 0)])
@example([("size", 0.0, 7)])
@example([("word", 0.5, 2), ("noise", 0.2, 5)])
def test_damaged_files_are_one_sentence_or_read(every: list[Reader], steps: list[Step]) -> None:
    found = {reader.name: fuzz(reader, [steps] * len(reader.files)) for reader in every
             if reader.share == 1.0}
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("steps", [[("cut", 0.0, 0)], [("word", 0.5, 2)]])
def test_damaged_rows_are_one_sentence_or_drawn(every: list[Reader], steps: list[Step]) -> None:
    for reader in every:
        if reader.share < 1.0:
            assert fuzz(reader, [steps]) == {}, reader.name


def test_the_fuzzer_sees_a_reader_that_raises(tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_text("1")
    found = fuzz(Reader("int", [path], lambda: int(path.read_text())), [[("insert", 0.0, 17)]])
    assert [fault.partition(":")[0] for fault in found] == ["ValueError at test_hostile_files.py"]
    assert path.read_text() == "1"
