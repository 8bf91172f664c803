"""Parts of a plan's report: how breaks are made, and what holds if the fire model is wrong."""

from dataclasses import replace

import numpy as np

from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table, treatment_of_rows, with_treatments
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.evaluation.doubt import Doubted, DoubtResult
from firebreak.planning.evaluation.effect import effect_of
from firebreak.planning.making import make_plan
from firebreak.planning.output.export_effect import PlanResult, segment_columns
from firebreak.report.pages.html import filled
from firebreak.report.pages.plan_parts import cost, doubt
from firebreak.report.pages.reported_plan import Origin, reported

TRUST = DoubtResult(
    ("mine", "other"), np.array([0.5, 0.4]), 100.0,
    {"rates": Doubted(np.array([[0.4, 0.3], [0.2, 0.3]]), np.array([90.0, 110.0])),
     "all": Doubted(np.array([[0.3, 0.1], [-0.1, 0.2]]), np.array([80.0, 120.0]))})


def test_the_part_on_doubt_says_whether_the_plan_saves_and_the_order_holds() -> None:
    page = " ".join(filled("plan.html", "doubt", doubt(TRUST)).split())
    assert "Of 2 draws with all together, a plan saves: mine in 1, other in 2." in page
    assert "The better plan stays the better one: mine over other in 1." in page
    assert "0.300 (0.200 to 0.400)" in page
    assert "100 (80 to 120)" in page
    assert "lowest to highest of 2 draws" in page
    alone = filled("plan.html", "doubt", doubt("The plan treats nothing."))
    assert alone.strip() == "<p>The plan treats nothing.</p>"


def test_the_part_on_treatments_sums_up_each_of_them_with_its_sources() -> None:
    table = read_table()
    rows = [replace(table["mastication"], title="mastication by machine"), table["grazing"]]
    base = generate(4, 12)
    slope = np.full(base.shape, 0.05, np.float32)
    slope[:, 6:] = 0.5
    land = with_treatments(replace(base, slope_tan=slope), rows, "x")
    # Grazing is the cheaper one on the gentle half, and the only one on the steep half.
    assert set(np.unique(land.treatment[land.treatable])) == {1}
    land = replace(land, treatment=np.where(slope < 0.2, 0, 1))
    scene = make_scene(land, FireConditions(
        scenarios=2, treatment=treatment_of_rows(rows, 0, "x")), 0)
    plan = make_plan(scene, 0.5, 16, "downstream-value", seed=0)
    segments = break_segments_of(plan.break_mask(), land)
    result = PlanResult(scene, plan, land, (0, 0), segments, effect_of(scene, segments, 20), 0,
                        plan.cells[:0], treatments=rows)
    report = reported(result, None, Origin("", {}, []))
    page = filled("plan.html", "cost", report, cost(report))
    assert "mastication by machine: FERA 2_MechAdd" in page
    assert "grazing: assumed: half of the fine fuel is eaten" in page
    assert "upkeep per year, USD" in page
    told = segment_columns(result)
    gentle = {name for row, one in zip(told, segments, strict=True)
              if (one.cells % 12 < 6).all() for name in [row["treatment"]]}
    assert gentle <= {"mastication"}
    total = sum(row["cost"] for row in told)
    assert total == np.float64(plan.cost).round(4) or abs(total - plan.cost) < 0.01
