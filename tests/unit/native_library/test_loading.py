"""Which file of the native library is loaded, and what is said where none is."""

import hashlib
from pathlib import Path

import pytest

from firebreak.checks import ResourceFailedError
from firebreak.native_library import loading, names


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "native"
    folder.mkdir()
    (folder / "a.cpp").write_text("int a;")
    (folder / "structs.h").write_text("int b;")
    return folder


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "built"
    folder.mkdir()
    return folder


def place(built: Path, sources: str, level: str) -> Path:
    path = built / names.built_name(sources, level)
    path.write_bytes(b"code")
    names.sum_of(path).write_text(hashlib.sha256(b"code").hexdigest())
    return path


def test_the_library_of_these_sources_for_this_machine_is_taken(built: Path, sources: Path) -> None:
    now = names.source_hash(sources)
    levels = place(built, now, "x86-64-v2")
    here = place(built, now, f"here-{names.processor_hash()}")
    assert loading.find_built(built, sources) == here
    here.unlink()
    if "x86-64-v2" in names.levels_here():
        assert loading.find_built(built, sources) == levels


def test_a_library_of_other_sources_is_not_used_and_the_remedy_is_named(
        built: Path, sources: Path) -> None:
    place(built, names.source_hash(sources), f"here-{names.processor_hash()}")
    (sources / "a.cpp").write_text("int c;")
    with pytest.raises(ResourceFailedError, match=r"of other sources.*run\.py setup"):
        loading.find_built(built, sources)


def test_a_library_for_another_processor_is_not_used(built: Path, sources: Path) -> None:
    place(built, names.source_hash(sources), "here-00000000")
    with pytest.raises(ResourceFailedError, match="for another processor"):
        loading.find_built(built, sources)


def test_no_library_is_said_to_be_none(built: Path, sources: Path) -> None:
    with pytest.raises(ResourceFailedError, match="is not built"):
        loading.find_built(built, sources)


def test_without_sources_what_was_installed_is_taken(built: Path, tmp_path: Path) -> None:
    there = place(built, "123456789abc", "any")
    assert loading.find_built(built, None) == there


@pytest.mark.parametrize(("missing", "best"), [
    ("avx512f", "x86-64-v3"), ("avx2", "x86-64-v2"), ("popcnt", None)])
def test_a_level_counts_only_with_all_its_instructions_and_those_below(
        monkeypatch: pytest.MonkeyPatch, missing: str, best: str | None) -> None:
    every = frozenset(" ".join(names.LEVELS.values()).split())
    monkeypatch.setattr(names, "processor_flags", lambda: every)
    assert names.levels_here() == tuple(names.LEVELS)
    monkeypatch.setattr(names, "processor_flags", lambda: every - {missing})
    assert names.levels_here()[:1] == ((best,) if best else ())


def test_every_name_and_text_of_the_sources_counts(sources: Path) -> None:
    before = names.source_hash(sources)
    (sources / "a.cpp").rename(sources / "c.cpp")
    renamed = names.source_hash(sources)
    (sources / "notes.md").write_text("not compiled")
    assert len({before, renamed}) == 2
    assert names.source_hash(sources) == renamed


@pytest.mark.parametrize("bytes_", [b"", b"cod", b"other"])
def test_a_damaged_library_is_not_used(built: Path, sources: Path, bytes_: bytes) -> None:
    path = place(built, names.source_hash(sources), f"here-{names.processor_hash()}")
    path.write_bytes(bytes_)
    with pytest.raises(ResourceFailedError, match="is damaged"):
        loading.find_built(built, sources)


def test_only_a_checkout_has_sources(tmp_path: Path) -> None:
    package = tmp_path / "src" / "firebreak"
    (tmp_path / "src" / "native").mkdir(parents=True)
    assert names.sources_of(package) is None
    (tmp_path / "src" / "native" / "structs.h").write_text("")
    assert names.sources_of(package) == tmp_path / "src" / "native"
    (tmp_path / "src").rename(tmp_path / "site-packages")
    assert names.sources_of(tmp_path / "site-packages" / "firebreak") is None
