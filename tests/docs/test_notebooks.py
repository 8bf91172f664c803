"""The notebooks: each runs from its first cell to its last, and none holds an output."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
MOST_S = 1800


def code_of(path: Path) -> list[dict[str, object]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks_and_ten_cells_plan_a_map() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["plan-a-real-map", "train-a-policy"]
    assert len(code_of(NOTEBOOKS[0])) == 10


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    for cell in code_of(path):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        compile("".join(line for line in cell["source"]  # type: ignore[attr-defined]
                        if not line.startswith("%")), path.name, "exec")


@pytest.mark.slow
@pytest.mark.timeout(2 * MOST_S)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, tmp_path: Path) -> None:
    for name in ("nbclient", "ipykernel", "geopandas", "rioxarray"):
        pytest.importorskip(name, reason=f"the package {name} is absent: [notebook]")
    import matplotlib.font_manager  # noqa: F401  (slow where nothing is cached, it says so in a cell)
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=MOST_S,
                   resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert not [out for out in outputs if out.output_type == "stream" and out.name == "stderr"]
    assert sum("image/png" in out.get("data", {}) for out in outputs) >= 2
    assert sum("text/html" in out.get("data", {}) for out in outputs) >= 2
