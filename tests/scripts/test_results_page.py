"""docs/results.md says what its records say."""

import hashlib
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import protocol
import results
from protocol import read_records
from results_figures import draw_figures

ROOT = Path(__file__).parents[2]
RECORDS = read_records(ROOT / "docs" / "results" / "records")


@pytest.mark.slow
def test_the_pages_are_made_from_their_records(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    out = tmp_path / "results.md"
    monkeypatch.setattr(sys, "argv", ["results.py", "--out", str(out)])
    monkeypatch.setattr(results, "draw_figures", lambda records, folder: [])
    results.main()
    for name in ("results.md", "results-tables.md"):
        assert (tmp_path / name).read_text() == (ROOT / "docs" / name).read_text(), \
            "run benchmarks/results.py again"


@pytest.mark.slow
def test_the_table_of_the_readme_is_the_first_of_the_page() -> None:
    def numbers(line: str) -> list[str]:
        return [cell.strip(" *") for cell in line.split("|")[2:-1]]

    page = [line for line in results.tables(RECORDS)["summary"].splitlines() if "---" not in line]
    readme = [line for line in (ROOT / "README.md").read_text().splitlines()
              if line.startswith("|") and "---" not in line][:len(page)]
    assert [numbers(line) for line in readme] == [numbers(line) for line in page]


@pytest.mark.slow
def test_the_policies_card_has_the_numbers_of_the_page() -> None:
    summary = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:5]]
               for line in results.tables(RECORDS)["summary"].splitlines()}
    card = [[cell.strip() for cell in line.split("|")[1:-1]] for line in
            (ROOT / "src/firebreak/policies/README.md").read_text().splitlines()
            if re.match(r"\| .*0\.\d{3} \| 0\.\d{3} \| 0\.\d{3} \|$", line)]
    assert [row[1:] for row in card] == [
        summary[name] for name in ("dqn-lookahead", "dqn", "segments")]


def test_the_policies_card_names_the_files_by_their_checksums() -> None:
    folder = ROOT / "src/firebreak/policies"
    card = (folder / "README.md").read_text()
    for path in folder.glob("*.safetensors"):
        assert f"`{path.name}` | {path.stat().st_size / 1000:.0f} kB | `{sha256(path)}`" in card


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_each_kind_of_job_is_measured_with_the_policy_that_commands_follow() -> None:
    policies = {"general": None, "shaded": None, "mine": None}
    parts = {one.kind: one for one in protocol.PARTS["kinds"].sets}
    assert [*protocol._followed(parts[""], policies)] == ["general", "mine"]
    assert [*protocol._followed(parts["held"], policies)] == ["general", "mine"]
    assert [*protocol._followed(parts["shaded"], policies)] == ["shaded", "mine"]
    for kind, wrong in (("shaded", "general"), ("held", "shaded"), ("", "mine")):
        record = next(one for one in RECORDS if one["set"] == parts[kind].name and one["policy"])
        with pytest.raises(ValueError, match=f"got {wrong} in "):
            results.tables([*RECORDS, record | {"policy": wrong}])


def test_nothing_is_counted_twice() -> None:
    keys = [record["key"] for record in RECORDS]
    assert len(keys) == len(set(keys))


@pytest.mark.slow
@pytest.mark.parametrize("kept", [0.0, 1.0])
def test_figures_are_of_what_was_measured(tmp_path: Path, kept: float) -> None:
    few = [r for r in RECORDS if r["index"] < 2][:int(kept * len(RECORDS))]
    drawn = draw_figures(few, tmp_path)
    assert len(drawn) == (4 if few else 0)
    assert all(path.stat().st_size > 10_000 for path in drawn)
    named = (ROOT / "docs" / "results.template.md").read_text()
    assert all(f"figures/{path.name}" in named for path in drawn)
