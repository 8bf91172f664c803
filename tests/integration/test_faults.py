"""The short form of every row of docs/reliability.md, and the long forms as a soak."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from faults.bits import payloads
from faults.table import BEGIN, END, PAGE, RECORDS, ROWS, available, table

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fault_injection.py"


def injected(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments, "--dry"], text=True,
                          capture_output=True, check=False)


TESTED_ELSEWHERE = ("payloads", "config", "fuzz", "declared")
WITH_RUNS = ("kill", "disk", "signals", "forged", "workers")
"""Rows whose faults need whole runs in processes of their own."""


@pytest.mark.slow
@pytest.mark.parametrize("rows", [
    [name for name in ROWS if name not in (*TESTED_ELSEWHERE, *WITH_RUNS)], list(WITH_RUNS)],
    ids=["files", "runs"])
def test_a_few_faults_of_each_row_have_no_effect(rows: list[str]) -> None:
    rows = [name for name in rows if available(name)]
    done = injected(*rows, "--short")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == rows


@pytest.mark.slow
def test_payloads_do_not_run(tmp_path: Path) -> None:
    found = payloads(tmp_path)
    assert found.tried > 20
    assert found.bad == []


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", list(ROWS))
def test_no_fault_of_a_row_has_an_effect(name: str) -> None:
    if not available(name):
        pytest.skip("not part of this version")
    done = injected(name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_shows_what_was_recorded() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()
    records = json.loads(RECORDS.read_text())
    assert shown == table(records)
    assert all(record["bad"] == 0 or record["first_bad"] for record in records.values())
