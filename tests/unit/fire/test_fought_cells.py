"""Crews hold breaks where fires are fought, and nowhere else."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firebreak
from firebreak.checks import InputError
from firebreak.fire.effects.breaks import HoldRule, ready_min

LAND = "synthetic:3:24"
HELD: dict[str, Any] = {"hold": "equipment", "break_kind": "shaded", "fires": 60, "threads": 1,
                        "response_min": 0.0, "quiet": True, "scenarios": 2}


def breaks() -> np.ndarray:
    mask = np.zeros((24, 24), bool)
    mask[12], mask[:, 12] = True, True
    return mask


def lost(**given: Any) -> float:
    return float(firebreak.simulate(LAND, plan=breaks(), **HELD, **given).loss.mean())


def test_everywhere_is_as_if_nobody_said_where_and_nowhere_as_without_crews() -> None:
    everywhere, nowhere = np.ones((24, 24)), np.zeros((24, 24))
    nowhere[0, 0] = 1.0  # no break is there
    held, free = lost(), lost(hold_in=nowhere)
    assert lost(hold_in=everywhere) == held < free
    alone = {name: value for name, value in HELD.items() if name not in ("hold", "response_min")}
    assert free == float(firebreak.simulate(LAND, plan=breaks(), **alone).loss.mean())


def test_more_cells_where_fires_are_fought_lose_no_more() -> None:
    half = np.zeros((24, 24))
    half[:, :12] = 1.0
    assert lost() <= lost(hold_in=half) <= lost(hold_in=np.eye(24) * 0 + (np.arange(24) == 0))


def test_crews_are_never_there_where_no_fire_is_fought() -> None:
    fought = np.array([[True, False]])
    ready = ready_min(HoldRule(by="hand", response_min=5.0), (1, 2), np.zeros((1, 2)), fought)
    assert ready.tolist() == [[5.0, np.inf]]
    assert ready.dtype == np.float32


def test_where_fires_are_fought_says_nothing_without_crews(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hold_in: expected hold together with hold_in, got none"):
        firebreak.simulate(LAND, hold_in=np.ones((24, 24)))
    with pytest.raises(InputError, match=r"hold_in: expected an array of shape \(24, 24\)"):
        firebreak.simulate(LAND, hold="hand", break_kind="shaded", hold_in=np.ones((3, 3)))
    with pytest.raises(InputError, match="no such file"):
        firebreak.simulate(LAND, hold="hand", break_kind="shaded", hold_in=tmp_path / "no.tif")
