"""Breaks that experts drew, made better: what is dropped, lengthened, joined and added."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.planning.output.test_given import LAND, SMALL, drawn, line

from firebreak.cli import main
from firebreak.fire import WHOLE, FireConditions, HoldRule, KnownFires, Scene, make_scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import mask_of_cells
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.break_segments import break_segments_of, pieces
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.drawn import (
    RANK,
    Change,
    change_words,
    changes_of,
    met_by_fires,
)
from firebreak.planning.evaluation.effect import effect_of
from firebreak.planning.evaluation.intervals import Interval, fire_groups
from firebreak.planning.evaluation.judging import statistics
from firebreak.planning.evaluation.refine import improved_plan
from firebreak.planning.making import make_plan

pytestmark = pytest.mark.usefixtures("small_pictures")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with land.tif and experts.geojson: two lines with a gap, and one in a corner."""
    monkeypatch.chdir(tmp_path)
    write_landscape("land.tif", LAND)
    return drawn(tmp_path / "experts.geojson", line(12, 4, 11, "west"), line(12, 15, 24, "east"),
                 line(1, 0, 3, "corner"))


def plan(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[dict[str, Any], str]:
    assert main(["plan", "land.tif", *SMALL, "--improve", "experts.geojson", "--json",
                 "--out", "out", *options]) == 0
    text = capsys.readouterr().out
    return json.loads(text.strip().splitlines()[-1]), text


@pytest.mark.slow
@pytest.mark.parametrize("how", [("--method", "segments", "--cells"), ("--budget", "4%"),
                                 ("--method", "dqn", "--window-cells", "16")])
def test_the_changes_lead_from_the_experts_breaks_to_the_plan(
        place: Path, capsys: pytest.CaptureFixture[str], how: tuple[str, ...]) -> None:
    found, text = plan(capsys, *how)
    changes = found["changes"]
    assert {one["action"] for one in changes} <= {*RANK}
    old = {one["line"]: one for one in changes if one["action"] in ("keep", "drop", "shorten")}
    assert {*old} >= {"west", "east"}
    new = [one for one in changes if one["line"] not in old]
    assert all(one["line"] for one in new) == (how[0] == "--budget")  # corridors have names
    assert all({*one["beside"].split("; ")} <= {*old, ""} for one in new)
    for one in new:
        named = len(one["beside"].split("; ")) if one["beside"] else 0
        assert one["action"] == {0: "add", 1: "lengthen"}.get(named, "join")
    kept = sum(one["cells"] for one in old.values() if one["action"] == "keep")
    assert kept + sum(one["cells"] for one in new) <= found["n_cells"]
    with Path("out/data/changes.csv").open(newline="") as file:
        assert [row["action"] for row in csv.DictReader(file)] == [
            one["action"] for one in changes]
    assert "of the lines of the existing network" in text
    assert text.count("first plan, by ") == 1
    assert "Next: plans that keep less of the network are made, and the plan that saves" in text
    report = " ".join(Path("out/report.html").read_text().split())
    assert "What to change in the existing network" in report
    assert "of a line that is kept what the plan saves less without it" in report
    rows = {line.split()[0] for line in text.splitlines() if " to 0." in line}
    assert rows >= {"improved", "existing"}


def a_network(scene: Scene) -> list[Corridor]:
    """A row of breaks across the map, and one along its edge, in short lines."""
    mask = np.zeros(scene.landscape.shape, np.bool_)
    mask[[0, 8]] = scene.landscape.treatable[[0, 8]]
    return [one._replace(name=str(k)) for k, one in enumerate(
        break_segments_of(mask, scene.landscape, 240.0))]


def test_what_is_worth_least_goes_and_the_budget_is_kept() -> None:
    scene = make_scene(generate(5, (16, 17), cell_size_m=30.0), FireConditions(scenarios=2), 3)
    network = a_network(scene)
    every = np.concatenate([one.cells for one in network])
    share = 0.6 * cost_of(every, scene.landscape) / cost_of(
        np.flatnonzero(scene.landscape.treatable), scene.landscape)
    begun: list[PlanRules] = []

    def make(rules: PlanRules, report: Any) -> Plan:
        begun.append(rules)
        return make_plan(scene, share, 12, "segments", seed=0, rules=rules)

    fires = scene.fires("test", 40)
    before = KnownFires(scene, fires, scene.landscape.treatable)
    told: list[int] = []
    made = improved_plan(scene, network, share, PlanRules(), make, 12,
                         lambda plan: -float(before.loss_under(plan.break_mask()).mean()),
                         tell=lambda plan: told.append(len(begun)))
    assert told == [1]  # the first plan is there before the others are made
    assert made.cost <= made.budget * (1.0 + 1e-6)
    sizes = [rules.include.size for rules in begun]
    assert sizes == sorted(set(sizes), reverse=True)  # no beginning twice
    assert sizes[-1] == 0
    fresh = make_plan(scene, share, 12, "segments", seed=0)
    assert before.loss_under(made.break_mask()).mean() <= before.loss_under(
        fresh.break_mask()).mean()
    assert all(np.isin(rules.include, every).all() for rules in begun)
    found = changes_of(scene, fires, fire_groups(fires.scenario, before.loss, fires.times),
                       network, made)
    assert len([one for one in found if one.name]) == len(network)
    for one in found:  # all that is told of is cells of the network or of the plan
        assert one.saved.low <= one.saved.mean <= one.saved.high
    whole = before.loss.sum()
    own = made.break_mask()
    for one in [one for one in found if not one.name]:
        rest = own.copy()
        piece = [cells for cells in pieces(own & ~_mask(every, own.shape))
                 if cells.size == one.cells]
        lost = set()
        for cells in piece:
            rest = own.copy()
            rest.ravel()[cells] = False
            lost.add(round(float((before.loss_under(rest) - before.loss_under(own)).sum()
                                 / whole), 9))
        assert round(one.saved.mean, 9) in lost
    assert [RANK[one.action] for one in found] == sorted(RANK[one.action] for one in found)


def test_a_shape_on_cells_of_others_has_a_row_and_crews_their_lengths(
        place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn(place, line(12, 4, 11, "west"), line(12, 6, 9, "twice"), line(12, 15, 24, "east"))
    found, text = plan(capsys, "--method", "segments", "--cells", "--break-kind", "shaded",
                       "--hold", "equipment", "--response-min", "0", "--report", "brief")
    twice, = [one for one in found["changes"] if one["line"] == "twice"]
    assert twice["action"] == "covered"
    assert twice["beside"] == "west"
    assert twice["cells"] == twice["cost"] == twice["saves_percent"] == twice["engaged_m"] == 0
    rest = [one for one in found["changes"] if one["cells"]]
    assert all(0.0 <= one["held_m"] <= one["engaged_m"] for one in rest)
    assert sum(one["held_m"] for one in rest) > 0.0
    assert "twice has no cells of its own: it lies on those of west" in " ".join(
        Path("out/report.html").read_text().split())
    assert "; 1 other line on cells of these" in text


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_crews_hold_of_lines_what_they_hold_of_segments(share: float) -> None:
    hold = HoldRule(by="equipment", response_min=0.0)
    scene = make_scene(generate(5, (16, 17), cell_size_m=30.0), FireConditions(
        scenarios=2, hold=hold, treatment=Treatment(kind="shaded")), 3)
    network = a_network(scene)
    network = network[:max(1, round(share * len(network)))]
    known = effect_of(scene, network, 40)
    assert known.engaged is not None
    assert known.held is not None
    met = met_by_fires(scene, scene.fires("test", 40), np.concatenate(
        [one.cells for one in network]))
    found = [met(one.cells) for one in network]
    np.testing.assert_allclose([one.engaged_m for one in found], known.engaged, rtol=1e-9)
    np.testing.assert_allclose([one.held_m for one in found], known.held, rtol=1e-9)
    assert known.held.sum() > 0.0


def test_a_change_is_told_with_its_line_and_its_cells() -> None:
    saved = Interval(0.1, 0.0, 0.2)
    told = [change_words(Change(action, name, ("east", "west")[:count], 2, 2.0, saved))
            for action, count in (("drop", 0), ("join", 2), ("lengthen", 1), ("add", 0))
            for name in ("ridge", "") if name or action != "drop"]
    assert told == [
        "drop ridge",
        "join east and west with ridge (2 cells)", "join east and west with 2 cells",
        "lengthen east by ridge (2 cells)", "lengthen east by 2 cells", "add ridge (2 cells)",
        "add a piece of 2 cells"]


def test_one_network_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "land.tif", *SMALL, "--improve", "experts.geojson", "--existing",
                 "experts.geojson", "--out", "bad"]) == 2
    assert "expected no --improve beside --existing" in capsys.readouterr().err
    assert not Path("bad").exists()


@pytest.mark.parametrize(("options", "words"), [
    (["--must-include", "must.geojson", "--budget", "1%", "--cells"],
     "expected a budget that pays for what must be included"),
    (["--method", "none"], "--method: expected a method that makes breaks, got 'none'")])
def test_a_network_that_nothing_can_begin_with_is_refused(
        place: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    drawn(Path("must.geojson"), line(10, 2, 28))
    assert main(["plan", "land.tif", *SMALL, "--improve", "experts.geojson", "--out", "bad",
                 *options]) == 2
    assert words in capsys.readouterr().err
    assert not Path("bad").exists()


def _mask(cells: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    mask = np.zeros(shape, np.bool_)
    mask.ravel()[cells] = True
    return mask


@pytest.mark.parametrize("seed", [0, 2])
def test_lengths_that_fires_meet_are_those_of_single_fires_counted(seed: int) -> None:
    land = generate(seed, (12, 12), cell_size_m=30.0)
    scene = make_scene(land, FireConditions(
        scenarios=2, hold=HoldRule(by="hand", response_min=0.0),
        treatment=Treatment(kind="shaded")), 3)
    cells = np.arange(144).reshape(12, 12)
    treatable = np.flatnonzero(land.treatable)
    row, column = (np.intersect1d(treatable, own) for own in (cells[5], cells[:, 7]))
    breaks, bare = np.union1d(row, column), np.flatnonzero(~land.treatable)
    plain = scene.fires("test", 8)
    weight = (1 + np.arange(8) % 3) * WHOLE // 2
    fires = plain._replace(weight=weight)
    reached, held = np.zeros((2, 144))
    for k, times in enumerate(fires.times):
        one = statistics(scene, plain.part(slice(k, k + 1)), mask_of_cells(breaks, land.shape))
        held += times * one.held_probability.ravel()
        reached += times * (one.held_probability + one.burn_probability).ravel()
    met = met_by_fires(scene, fires, breaks)
    for own in (row, column, row[:0], breaks, bare):
        slow = 30.0 * reached[own].sum() / 8, 30.0 * held[own].sum() / 8
        assert met(own) == pytest.approx(slow)
    assert met(breaks).held_m > 0.0
    assert met(bare) == met(row[:0]) == (0.0, 0.0)
