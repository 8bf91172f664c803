"""No module writes a file but through `firebreak.files`.

Looked at are calls that write: `open` with a mode that writes, methods such as `write_text` and
`savefig`, renames, copies and GDAL's writers. What a library writes may go to a buffer in memory.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "firebreak"

DOOR = "files.py"
METHODS = {"write_text", "write_bytes"}
TO_BUFFERS = {"save", "savefig", "savez", "savez_compressed", "savetxt", "tofile", "to_csv",
              "imsave", "dump", "save_file"}
MOVES = {("os", "replace"), ("os", "rename"), ("os", "truncate"), ("os", "write"),
         ("shutil", "copy"), ("shutil", "copy2"), ("shutil", "copyfile"), ("shutil", "copytree"),
         ("shutil", "move"), ("raw", "write")}
NAMES = {"copy", "write_dataframe", "copyfile"}
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND"}

ELSEWHERE = {
    ("train/storage/metrics.py", "open"): "rows are appended; a cut line is dropped",
    ("train/storage/metrics.py", "replace"): "a full part is renamed",
    ("train/storage/metrics.py", "truncate"): "rows after a checkpoint are dropped",
    ("train/storage/store.py", "rename"): "what is to be deleted is renamed first",
    ("cli/shared/signals.py", "open"): "answers to a signal are appended",
    ("cli/shared/signals.py", "write"): "to the terminal",
    ("cli/__init__.py", "open"): "the null device",
    ("cli/shared/surroundings.py", "open"): "the null device",
    ("lifetime.py", "write"): "to the terminal",
    ("landscape/raster/vector_child.py", "write"): "to a buffer and a pipe",
    ("landscape/raster/shape_files.py", "copyfile"): "into a folder for temporary files",
    ("planning/output/vectors.py", "write"): "in a folder for temporary files",
    ("landscape/formats/write.py", "copy"): "in GDAL's memory",
}


def writes(source: str) -> Iterator[str]:
    """The names of the calls in a module that write a file."""
    tree = ast.parse(source)
    buffers = {target.id for node in ast.walk(tree) if isinstance(node, ast.Assign)
               and ast.unparse(node.value) in ("io.BytesIO()", "io.StringIO()")
               for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _writes(node, buffers):
            yield _name(node)


def _writes(call: ast.Call, buffers: set[str]) -> bool:
    name = _name(call)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if name == "open":
        return _mode_writes(call)
    if name in TO_BUFFERS:
        place = call.args[1:] if ast.unparse(owner or call) in ("torch", "json") else call.args
        return any(isinstance(one, ast.expr) for one in place[:1]) and not (
            isinstance(place[0], ast.Name) and place[0].id in buffers)
    if owner is None:
        return name in NAMES
    return name in METHODS or (ast.unparse(owner), name) in MOVES


def _mode_writes(call: ast.Call) -> bool:
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant)
             and isinstance(one.value, str) and set(one.value) <= set("rwaxbt+")]
    flags = {part.attr for part in ast.walk(call) if isinstance(part, ast.Attribute)}
    return any(set(mode) & set("wax+") for mode in modes) or bool(flags & FLAGS)


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@pytest.mark.slow
def test_no_module_writes_but_through_files() -> None:
    found = {(path.relative_to(PACKAGE).as_posix(), name) for path in PACKAGE.rglob("*.py")
             for name in writes(path.read_text(encoding="utf-8"))
             if path.relative_to(PACKAGE).as_posix() != DOOR}
    assert found - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) - found == set(), "a reason without its call"


@pytest.mark.parametrize("line", [
    "open(path, 'w')", "path.open('ab')", "path.open(mode='x')", "rasterio.open(path, 'w', **more)",
    "path.write_text(text)", "path.write_bytes(content)", "figure.savefig(path)",
    "np.save(path, array)", "torch.save(content, path)", "json.dump(rows, file)",
    "images.save(path, format='GIF')", "os.replace(a, b)", "shutil.copyfile(a, b)",
    "raw.write(path, shapes)", "os.open(path, os.O_WRONLY | os.O_CREAT)", "copy(a, b, driver='G')",
    "table.to_csv(path)"])
def test_a_write_elsewhere_is_found(line: str) -> None:
    assert list(writes(line))


@pytest.mark.parametrize("line", [
    "path.open('rb')", "open(path)", "rasterio.open(path)", "write_text(path, text)",
    "buffer = io.BytesIO()\nfigure.savefig(buffer)", "self.save(best=True)",
    "buffer = io.BytesIO()\ntorch.save(content, buffer)", "array.copy()"])
def test_what_writes_no_file_is_not_found(line: str) -> None:
    assert not list(writes(line))
