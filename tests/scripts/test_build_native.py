"""The script that builds the native library: which compiler it takes, what it builds anew, what it
says where there is none.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "build_native.py"
HEADERS = ROOT / "scripts" / "native_headers.py"
sys.path.insert(0, str(SCRIPT.parent))
import build_native  # noqa: E402

compiled = pytest.mark.skipif(build_native.find_compiler() is None, reason="there is no compiler")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with Python alone."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(build_native, "_zig", lambda: None)
    return folder


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_without_a_compiler_one_sentence_names_the_remedy(nowhere: Path, tmp_path: Path) -> None:
    assert build_native.find_compiler() is None
    # By itself, so that a package of another environment is not found either.
    done = subprocess.run([sys.executable, "-I", "-S", str(SCRIPT), "--out", str(tmp_path / "out")],
                          env={"PATH": str(nowhere)}, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "install g++ 12 or clang, or 'pip install ziglang'" in done.stderr
    assert not list(tmp_path.glob("out/kernels-*"))


def test_a_compiler_without_vector_extensions_is_passed_over(nowhere: Path) -> None:
    program(nowhere / "c++", "exit 1")
    assert build_native.find_compiler() is None
    program(nowhere / "clang++", "exit 0")
    found = build_native.find_compiler()
    assert found is not None
    assert found.compile == ("clang++",)


def test_zig_compiles_as_cpp_and_links_as_c(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(nowhere / "zig", "exit 0")
    monkeypatch.setenv("CXX", f"{nowhere}/zig c++")
    found = build_native.find_compiler()
    assert found == ((f"{nowhere}/zig", "c++"), (f"{nowhere}/zig", "cc"), True)


def test_a_compiler_that_fails_is_said_with_its_command(
        nowhere: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program(nowhere / "g++", 'echo "odd source" >&2; exit 1')
    with pytest.raises(build_native.BuildError, match=r"the compiler failed: .*g\+\+"):
        build_native.build("any", build_native.Compiler(("g++",), ("g++",), False),
                           tmp_path / "out", cache=tmp_path / "cache")
    assert "odd source" in capfd.readouterr().err
    assert not list((tmp_path / "out").glob("kernels-*"))


def test_a_cxx_that_is_no_compiler_is_named(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(nowhere / "g++", "exit 0")
    for named in ("g++-13x", "/bin/false", "g++ '"):
        monkeypatch.setenv("CXX", named)
        with pytest.raises(build_native.BuildError, match=r"^CXX=.*correct it or unset it$"):
            build_native.find_compiler()


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> build_native.Compiler:
    """A compiler that writes its own arguments into what it makes."""
    program(tmp_path / "stub",
            'for last; do :; done\n[ "$last" = --version ] || echo "$@" > "$last"')
    sources = tmp_path / "native"
    sources.mkdir()
    (sources / "structs.h").write_text("int a;")
    (sources / "a.cpp").write_text("int a;")
    monkeypatch.setattr(build_native, "SOURCES", sources)
    own = build_native.Compiler((str(tmp_path / "stub"),), (str(tmp_path / "stub"),), False)
    monkeypatch.setattr(build_native, "find_compiler", lambda: own)
    return own


def test_objects_of_another_processor_are_not_linked(
        stub: build_native.Compiler, tmp_path: Path) -> None:
    for level in ("here-00000000", "here-11111111"):
        build_native.build(level, stub, tmp_path / "out", cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").glob("a-*.o"))) == 2


def test_a_damaged_library_is_built_again_and_those_of_other_machines_stay(
        stub: build_native.Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stub
    monkeypatch.setattr(build_native.build, "__kwdefaults__",
                        {**build_native.build.__kwdefaults__, "cache": tmp_path / "cache"})
    out = tmp_path / "out"
    path = build_native.build_here(out)
    whole = path.read_bytes()
    other = out / path.name.replace(build_native.NAMES.processor_hash(), "00000000")
    stale = out / "kernels-000000000000-any.so"
    for file in (other, stale):
        file.write_bytes(b"")
    path.write_bytes(b"")
    assert build_native.build_here(out) == path
    assert path.read_bytes() == whole
    assert other.exists()
    assert not stale.exists()
    assert not list(out.glob("part-*"))


@compiled
@pytest.mark.slow
def test_an_edited_source_is_compiled_alone_and_its_library_has_another_name(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "native"
    shutil.copytree(build_native.SOURCES, sources)
    monkeypatch.setattr(build_native, "SOURCES", sources)
    compiler, out, cache = build_native.find_compiler(), tmp_path / "out", tmp_path / "cache"
    assert compiler is not None
    before = build_native.build("any", compiler, out, cache=cache)
    objects = {path.name for path in cache.iterdir()}
    (sources / "rows.cpp").write_text((sources / "rows.cpp").read_text() + "// edited\n")
    after = build_native.build("any", compiler, out, cache=cache)
    assert after != before
    new = {path.name for path in cache.iterdir()} - objects
    assert [name.partition("-")[0] for name in new] == ["rows"]


def test_the_headers_are_what_python_says() -> None:
    done = subprocess.run([sys.executable, str(HEADERS), "--check"], capture_output=True, text=True,
                          check=False, env=os.environ | {"PYTHONPATH": str(ROOT / "src")})
    assert (done.returncode, done.stdout) == (0, "up to date\n"), done.stderr


def test_no_flag_gives_the_compiler_freedom_of_evaluation() -> None:
    flags = " ".join(build_native.FLAGS)
    assert "-ffp-contract=off" in flags
    for freedom in ("fast-math", "-Ofast", "associative", "reciprocal", "unsafe"):
        assert freedom not in flags


def test_a_wheel_is_tagged_for_the_libc_that_it_was_built_for() -> None:
    assert build_native.wheel_platform("x86_64-linux-gnu.2.28") == "manylinux_2_28_x86_64"
    assert build_native.wheel_platform("aarch64-linux-gnu.2.17") == "manylinux_2_17_aarch64"
    with pytest.raises(ValueError, match="expected a target of Linux"):
        build_native.wheel_platform("x86_64-windows-gnu")
