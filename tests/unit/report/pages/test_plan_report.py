"""The report of a plan: one file that loads nothing from a network, with all it has to say."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.legend import Legend
from matplotlib.text import Text

from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.memory.registry import live_counts
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.plan import pieces_of
from firebreak.planning.evaluation.build_order import Phase, in_build_order, years_of
from firebreak.planning.evaluation.effect import _mean_direction, effect_of
from firebreak.planning.evaluation.evaluate import Difference, Evaluation, evaluate
from firebreak.planning.evaluation.knee import KNEE_SAVED, WHOLE_COST, WHOLE_SAVED
from firebreak.planning.evaluation.losses import CrewLosses, saved_by_order
from firebreak.planning.making import make_plan
from firebreak.planning.output.export_effect import PlanResult, plan_id
from firebreak.report.figures import animation, canvas
from firebreak.report.figures.canvas import close_figure, new_figure, percent_ticks
from firebreak.report.figures.curves import comparison_figure
from firebreak.report.figures.plan_figures import (
    budget_figure,
    exceedance_figure,
    segments_figure,
    stopping_point,
    weather_figure,
)
from firebreak.report.pages import run_report
from firebreak.report.pages.html import sentence
from firebreak.report.pages.plan_parts import assumptions
from firebreak.report.pages.plan_report import PARTS, plan_page, write_plan_report
from firebreak.report.pages.reported_plan import Origin, reported
from firebreak.report.words import (
    LIMITS,
    amount,
    breaks_in_short,
    compass,
    how_fires_end,
    what_breaks_do,
    wind_name,
)
from firebreak.weather.streams import WeatherStreams

ORIGIN = Origin("firebreak plan 'a <b> & c'", {"budget": 0.1}, [Path("data/plan.tif")])
FORBIDDEN = re.compile(r"https?://|//[a-z]|<script|<link|<iframe|@import|url\(", re.IGNORECASE)


def origin_in(out: Path) -> Origin:
    return ORIGIN._replace(files=[out / path for path in ORIGIN.files])


class Page(HTMLParser):
    """Tags, pictures and words of a page; closing tags must match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pictures: list[dict[str, str | None]] = []
        self.words: list[str] = []
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "img":
            self.pictures.append(given)
        if given.get("id"):
            self.anchors.add(given["id"] or "")
        if tag == "a":
            self.links.add((given["href"] or "").removeprefix("#"))
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(4, 12), FireConditions(scenarios=2), 0)


def result_of(scene: Scene, method: str = "downstream-value") -> PlanResult:
    plan = make_plan(scene, 0.12, 16, method, seed=0)
    land = scene.landscape
    order = in_build_order(scene, break_segments_of(plan.break_mask(), land), 16)
    return PlanResult(scene, plan, land, (0, 0), order, effect_of(scene, order, 40), 0,
                      plan.cells[:1])


def page_of(result: PlanResult, evaluation: Evaluation | None = None,
            level: Literal["brief", "full"] = "full") -> str:
    """The page with its white space as a browser shows it."""
    return " ".join(plan_page(reported(result, evaluation, ORIGIN, level)).split())


@pytest.fixture(scope="module")
def result(scene: Scene) -> PlanResult:
    return result_of(scene)


@pytest.fixture(scope="module")
def evaluation(scene: Scene, result: PlanResult) -> Evaluation:
    return evaluate([scene], ["none", "burn-probability"], budget_share=0.12, plan_fires=16,
                    test_fires=40, seed=0, plans=[result.plan])


@pytest.fixture(scope="module")
def written(result: PlanResult, evaluation: Evaluation,
            tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("plan")
    phases = [Phase(2027, result.segments[0].cost), Phase(2028, 100.0)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(animation, "SHOW_FIRES", 8)
        patch.setattr(canvas, "DPI", 30)
        curves = {"none": saved_by_order(result.scene, result.plan, result.effect.loss[0], 0.5,
                                         points=2)}
        report = reported(result._replace(years=years_of(result.segments, phases)), evaluation,
                          origin_in(out))
        files = write_plan_report(out, report, curves)
    assert {*files} == {path for path in out.rglob("*") if path.is_file()}
    beside = files[-1].read_text().partition("Files beside this page")[2]
    assert all(f'<li><a href="data/{path.name}">data/{path.name}</a></li>' in beside
               for path in files[:-1])
    return out


def test_the_report_is_one_file_without_a_network(written: Path) -> None:
    text = (written / "report.html").read_text(encoding="utf-8")
    assert not FORBIDDEN.search(re.sub(r"data:image/\w+;base64,[\w+/=]+", "", text))
    page = Page(text)
    assert page.open == []
    beside = {"data/plan.tif", *(f"data/{path.name}" for path in (written / "data").iterdir())}
    assert page.links <= page.anchors | beside
    assert len(page.pictures) == 8
    for picture in page.pictures:
        assert (picture["src"] or "").startswith("data:image/")
        assert len(picture["alt"] or "") > 20
    assert "default-src 'none'" in text
    assert 'name="viewport"' in text
    assert "@media print" in text
    assert live_counts()["Figure"] == 0


def test_the_report_says_how_it_was_made_and_what_it_is_not_for(written: Path,
                                                                result: PlanResult) -> None:
    words = " ".join("".join(Page((written / "report.html").read_text()).words).split())
    for said in (ORIGIN.command, result.full.checksum(), plan_id(result.plan), "numpy",
                 "test the plan; no method was given them", "over 40 test fires",
                 "burn-probability", "2027", *LIMITS, how_fires_end(result.scene.conditions),
                 breaks_in_short(result.scene.conditions)):
        assert said in words, said


def test_the_headline_is_the_measured_reduction(written: Path, result: PlanResult) -> None:
    loss = result.effect.loss
    text = (written / "report.html").read_text()
    assert f"<b>{1 - loss[-1].mean() / loss[0].mean():.1%}</b>" in text


@pytest.mark.parametrize("level", ["brief", "full"])
def test_a_report_has_the_parts_of_its_level_in_their_order(
        result: PlanResult, evaluation: Evaluation, level: Literal["brief", "full"]) -> None:
    shown = [part.facts.__name__ for part in PARTS if level in part.levels]
    shown.remove("crews")  # nobody holds breaks
    shown.remove("buildable")  # the plan is not made of corridors
    shown.remove("changes")  # it begins with no network
    shown.remove("alternatives") if level == "full" else None  # it has none
    shown.remove("years") if level == "full" else None  # there is no schedule
    text = page_of(result, evaluation, level)
    assert re.findall(r'<section id="(\w+)"', text) == shown
    assert re.findall(r'<a href="#(\w+)"', text) == shown


def test_losses_by_crews_are_those_in_the_area_and_burned_ground_all_of_it(
        result: PlanResult, evaluation: Evaluation) -> None:
    report = reported(result, evaluation, ORIGIN, "full", crews=CrewLosses(
        labels=("no breaks", "crews hold 1 km"), km=np.array([np.nan, 1.0]),
        burned_ha=np.array([1000.0, 950.0]), lost=np.array([60.0, 39.0]), unit="ha", own=1))
    text = re.sub(r"<[^>]*>|\s+", " ", plan_page(report))
    assert re.search(r"burned in all, ha +burned in the area, ha +reduction", text)
    assert re.search(r"crews hold 1 km +950 +39 +35.0%", text)


def test_headline_and_table_have_one_number_of_burned_hectares(
        result: PlanResult, evaluation: Evaluation) -> None:
    effect = result.effect
    report = reported(result._replace(
        unit=result.unit._replace(name="ha"),
        effect=effect._replace(before=1.1 * effect.before)), evaluation, ORIGIN, "full")
    found = re.search(r"burn less per fire: (\S+) instead of (\S+)", " ".join(
        plan_page(report).split()))
    assert found is not None
    assert found.groups() == tuple(amount(report.numbers[f"mean_loss_{when}"].mean)
                                   for when in ("after", "before"))


def test_every_caveat_is_a_sentence(result: PlanResult, evaluation: Evaluation) -> None:
    notes = {WHOLE_COST: result.plan.cost, WHOLE_SAVED: 0.5, KNEE_SAVED: 0.5}
    plan = replace(result.plan, notes=notes, budget=result.plan.cost + 3.0)
    text = page_of(result._replace(plan=plan), None)
    text = text[text.index('class="warn"'):]
    said = re.findall(r"<li>(.*?)</li>", text[:text.index("</ul>")])
    assert "Nothing more was found to build" in said[0]
    assert all(re.fullmatch(r"[A-Z].*[^.]\.", own) for own in said), said
    assert sentence("what QGIS opens.") == "What QGIS opens."


def test_alternatives_have_a_table_and_dashed_lines_or_a_sentence(
        result: PlanResult, evaluation: Evaluation) -> None:
    row = {"plan": "auto", "method": "segments", "cost": 12.0, "cost_unit": "cells",
           "length_km": 1.2, "pieces": 2, "share_in_common": 1.0, "reduction": 0.5,
           "reduction_low": 0.4, "reduction_high": 0.6, "difference": 0.0,
           "difference_low": 0.0, "difference_high": 0.0}
    less = {"difference": -0.03, "difference_low": -0.05, "difference_high": -0.01}
    report = reported(result, evaluation, ORIGIN)
    assert 'id="alternatives"' not in plan_page(report)
    text = " ".join(plan_page(report._replace(alternatives=[row, {
        **row, "plan": "alternative-1", "share_in_common": 0.25, **less}])).split())
    assert "alternative-1</th><td>segments</td><td>12</td><td>1.2</td><td>2</td><td>25%" in text
    assert "<td>-3.0%</td><td>-5.0% to -1.0%</td>" in text
    assert "have at most 50% of their cells in common" in text
    assert "<p>No alternative: none.</p>" in plan_page(
        report._replace(no_more="no alternative: none"))
    figure = segments_figure(result.scene.landscape, result.segments, title="t", caption="c",
                             alternatives={"alternative-1": result.segments[:1]})
    assert "alternative-1" in [text.get_text() for legend in figure.findobj(Legend)
                               for text in legend.get_texts()]
    close_figure(figure)


@pytest.mark.slow
def test_a_plan_of_nothing_has_a_report_too(scene: Scene, tmp_path: Path,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "SHOW_FIRES", 8)
    monkeypatch.setattr(canvas, "DPI", 30)
    files = write_plan_report(tmp_path, reported(result_of(scene, "none"), None,
                                                  origin_in(tmp_path)))
    text = files[-1].read_text()
    assert "these fires do not show that the plan reduces the expected loss" in text
    assert not (tmp_path / "data" / "budget.png").exists()


def test_words_cannot_become_markup(scene: Scene, result: PlanResult) -> None:
    run = run_report.RunReport(Path("<b>"), scene, result.plan, {"<i>": {
        "landscapes": 1, "interval": "<u>", "methods": {"&amp;": {
            "reduction": 0.0, "low": 0.0, "high": 0.0}}}}, [], [])
    text = run_report.run_page(run)
    for raw in ("<b>\n", "<i>", "<u>"):
        assert raw not in text
    assert "&amp;amp;" in text


def test_the_stopping_point_is_the_first_of_nine_tenths(result: PlanResult) -> None:
    saved = result.effect.loss[0].mean() - result.effect.loss.mean(axis=1)
    stop = stopping_point(result.effect)
    assert saved[stop] >= 0.9 * saved[-1]
    assert (saved[:stop] < 0.9 * saved[-1]).all()


def test_years_are_paid_in_the_order_to_build(result: PlanResult) -> None:
    costs = [one.cost for one in result.segments]
    phases = [Phase(2030, costs[0]), Phase(2031, 0.0), Phase(2033, float(np.sum(costs[1:])))]
    assert years_of(result.segments, phases) == [2030, *[2033] * (len(costs) - 1)]


@pytest.mark.parametrize("weathers", [1, 2, 8])
def test_what_a_plan_saves_by_weather_fits_its_figure(weathers: int) -> None:
    line = {"low": 0.2, "high": 0.4, "reduction": 0.3, "mean_loss_before": 10.0,
            "mean_loss_after": 7.0, "fires": 50, "wind_from_deg": 0.0, "dead_moisture_1h": 0.06}
    figure = weather_figure([line | {"wind_20ft_km_h": 9.0 * k} for k in range(weathers)],
                            "ha", caption="of a test")
    FigureCanvasAgg(figure).draw()
    words = [text for text in figure.findobj(Text) if text.get_text()]
    places = [text.get_window_extent() for text in words]
    assert all(0.0 <= place.y0 < place.y1 <= figure.bbox.height for place in places)
    caption = next(place for text, place in zip(words, places, strict=True)
                   if text.get_text() == "of a test")
    assert not any(caption.overlaps(place) for place in places if place is not caption)
    # Labels of ticks that are not drawn have no extent.
    own = [text for text in words if text.get_window_extent().width > 1.0]
    assert {"mean loss, ha", "without", "with", "fires"} <= {text.get_text() for text in own}
    for one, other in combinations(own, 2):
        assert not one.get_window_extent().overlaps(other.get_window_extent()), (one, other)
    assert "calm, 1-h fuel 6 %" in {text.get_text() for text in words}
    close_figure(figure)


@pytest.mark.parametrize(("degrees", "name"), [
    (0, "N"), (11.2, "N"), (11.25, "NNE"), (22.5, "NNE"), (45, "NE"), (67.5, "ENE"), (90, "E"),
    (112.5, "ESE"), (157.5, "SSE"), (180, "S"), (202.5, "SSW"), (225, "SW"), (292.5, "WNW"),
    (337.5, "NNW"), (348.75, "N"), (-11.25, "N"), (-22.5, "NNW"), (360.0, "N")])
def test_winds_are_named(degrees: float, name: str) -> None:
    assert compass(degrees) == name


@pytest.mark.parametrize("degrees", [11.25 + 22.5 * k for k in range(16)])
def test_a_direction_has_the_same_name_as_its_mean_over_hours(degrees: float) -> None:
    mean = float(_mean_direction(np.repeat(degrees, 7)))
    assert wind_name(mean) == wind_name(degrees)


KINDS = {
    "hard": (FireConditions(), ["Fire does not cross them", "upper bounds"], ["shaded"]),
    "narrow": (FireConditions(treatment=Treatment(width_m=5.0)),
               ["strips of bare ground 5 m wide in cells of 30 m", "Fire does not cross them"], []),
    "breached": (FireConditions(treatment=Treatment(width_m=5.0), breach="wilson"),
                 ["5 m wide", "with a probability"], ["not cross", "upper bounds"]),
    "flames": (FireConditions(breach="flame-length"), ["two thirds of their width"],
               ["not cross", "upper bounds"]),
    "shaded": (FireConditions(treatment=Treatment(kind="shaded")),
               ["burns as another fuel", "less intensely", "fire can cross it"],
               ["does not cross", "upper bounds"]),
    "embers": (FireConditions(spotting=SpottingModel()), ["Embers thrown by crown fire fly over"],
               ["upper bounds"]),
    "leak": (FireConditions(leak=True), ["touch only at a corner"], [])}


@pytest.mark.parametrize("kind", list(KINDS))
def test_words_on_breaks_are_those_of_their_kind(kind: str) -> None:
    conditions, said, unsaid = KINDS[kind]
    words = " ".join(what_breaks_do(conditions, 30.0))
    assert all(part in words for part in said)
    assert not any(part in words for part in unsaid)


@pytest.mark.slow
def test_shaded_breaks_are_told_directly_below_the_headline(tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch,
                                                            ) -> None:
    monkeypatch.setattr(animation, "SHOW_FIRES", 8)
    monkeypatch.setattr(canvas, "DPI", 30)
    shaded = FireConditions(scenarios=2, treatment=Treatment(kind="shaded"))
    result = result_of(make_scene(generate(4, 12), shaded, 0))
    files = write_plan_report(tmp_path, reported(result, None, origin_in(tmp_path)))
    text = files[-1].read_text()
    head = text[text.index("<main>"):text.index("<section")]
    assert "fire can cross it" in head
    assert "No crew holds a fire at a break" in head
    assert "stops every" not in text


def test_what_the_plan_saves_more_stands_in_the_row_of_the_other(
        result: PlanResult, evaluation: Evaluation) -> None:
    own = result.plan.label
    paired = {f"{own} - burn-probability": Difference(0.1, 0.05, 0.15),
              "burn-probability - existing": Difference(0.3, 0.2, 0.4)}
    page = page_of(result, replace(evaluation, paired=paired))
    table = page[page.index(f"{own} saves more"):]
    row = table[table.index("burn-probability</th>"):].partition("</tr>")[0]
    assert "<td>+10.0% (+5.0% to +15.0%)</td>" in row
    others = table[table.index('<th scope="col">difference</th>'):].partition("</table>")[0]
    assert "burn-probability - existing" in others
    assert f"{own} - " not in others


def methods_of(page: str) -> list[dict[str, str]]:
    """The rows of the table of methods of a page, each by the names of its columns."""
    table = page[page.index('<th scope="col">method</th>'):].partition("</table>")[0]
    names, *rows = ([re.sub("<[^>]+>", "", cell).strip() for cell in
                     re.findall("<t[hd].*?</t[hd]>", row)] for row in table.split("</tr>")[:-1])
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_a_plan_of_cells_and_those_beside_it_have_their_pieces(result: PlanResult,
                                                               evaluation: Evaluation) -> None:
    page = page_of(result, evaluation)
    pieces = {row["method"]: row["pieces"] for row in methods_of(page)}
    assert pieces == {name: str(pieces_of(plan.break_mask()))
                      for name, plan in evaluation.plans[0].items()}
    assert f"that make {pieces[result.plan.label]} piece" in page


def test_the_column_of_what_the_plan_saves_more_is_explained(result: PlanResult,
                                                             evaluation: Evaluation) -> None:
    own = result.plan.label
    paired = {f"{own} - burn-probability": Difference(0.1, 0.05, 0.15)}
    page = page_of(result, replace(evaluation, paired=paired))
    assert f"{own} saves more' is the reduction by {own} minus that of the row" in page.replace(
        "&#39;", "'")


@pytest.mark.parametrize("paired", [{}, {"b - a": Difference(0.1, 0.05, 0.15)}])
def test_a_plan_that_is_held_against_no_other_has_no_column_of_it(
        result: PlanResult, evaluation: Evaluation, paired: dict[str, Difference]) -> None:
    assert "saves more" not in page_of(result, replace(evaluation, paired=paired))


@pytest.mark.parametrize("worth", [0.0, -1.0])
def test_a_plan_that_saves_nothing_has_no_part_that_is_enough(result: PlanResult,
                                                              worth: float) -> None:
    loss = result.effect.loss[:1] - worth * np.arange(len(result.effect.loss))[:, None]
    page = page_of(result._replace(effect=result.effect._replace(loss=loss)))
    assert "of the reduction for" not in page
    assert "of the reduction for" in page_of(result)


def test_a_plan_that_saves_by_its_last_segment_alone_has_none_either(result: PlanResult) -> None:
    loss = result.effect.loss[:1] - (np.arange(len(result.effect.loss)) == len(
        result.segments))[:, None]
    page = page_of(result._replace(effect=result.effect._replace(loss=loss)))
    assert "of the reduction for" not in page


def test_a_better_method_is_told_below_the_headline(result: PlanResult,
                                                    evaluation: Evaluation) -> None:
    own = result.plan.method
    worse = replace(evaluation, paired={f"{own} - burn-probability": Difference(-0.1, -0.2, -0.05),
                                        f"{own} - strips": Difference(-0.1, -0.2, 0.05)})
    head = page_of(result, worse).partition("<section")[0]
    assert f"burn-probability saves significantly more than {own} does: plan with</p>" in head
    assert "<pre>firebreak plan &#39;a &lt;b&gt; &amp; c&#39; --method burn-probability" in head
    assert "the plan reduces the expected loss, but burn-probability reduces it more." in head
    assert "strips" not in head
    alone = page_of(result, evaluation).partition("<section")[0]
    assert "the plan reduces the expected loss." in alone


def test_the_curve_over_the_budget_stays_inside_its_axes(result: PlanResult) -> None:
    others = {"far better": (np.array([0.0, 5.0]), np.array([0.0, 0.99])),
              "harmful": (np.array([0.0, 5.0]), np.array([0.0, -0.4]))}
    figure = budget_figure(result.effect, "cells", others, loss_unit="ha", caption="of a test")
    low, high = figure.axes[0].get_ylim()
    assert all(low <= np.min(line.get_ydata()) and np.max(line.get_ydata()) <= high
               for line in figure.axes[0].get_lines() if len(line.get_xdata()) > 2
               or line.get_label().startswith(("far", "harmful")))
    close_figure(figure)


@pytest.mark.parametrize("late", [False, True])
def test_the_words_on_where_to_stop_stay_inside_their_axes(result: PlanResult, late: bool) -> None:
    count = len(result.effect.loss)
    saved = np.linspace(0.0, 30.0, count) ** (4.0 if late else 0.05)
    effect = result.effect._replace(loss=100.0 - 90.0 * saved[:, None] / saved[-1]
                                    + np.zeros_like(result.effect.loss))
    figure = budget_figure(effect, "cells", {}, loss_unit="ha", caption="of a test")
    FigureCanvasAgg(figure).draw()
    words = next(text for text in figure.axes[1].texts if "of the reduction" in text.get_text())
    place, axes = words.get_window_extent(), figure.axes[1].bbox
    assert axes.x0 <= place.x0 < place.x1 <= axes.x1
    assert axes.y0 <= place.y0 < place.y1 <= axes.y1
    close_figure(figure)


def test_losses_stay_inside_their_axes(result: PlanResult) -> None:
    loss = np.array([[1.0, 2.0, 3.0, 90.0], [1.0, 2.0, 3.0, 400.0]])
    effect = result.effect._replace(loss=loss, scenario=np.zeros(4, np.int64), times=np.ones(4))
    figure = exceedance_figure(effect, "cells", caption="of a test")
    assert figure.axes[0].get_xlim()[1] >= 400.0
    close_figure(figure)


def test_the_chance_of_at_least_a_loss_is_drawn_at_every_loss(result: PlanResult) -> None:
    loss = np.zeros_like(result.effect.loss)
    loss[0, ::3], loss[0, 1::9], loss[-1, ::6] = 1.0, 4.0, 3.0
    figure = exceedance_figure(result.effect._replace(loss=loss), "houses", caption="of a test")
    lines = [line for line in figure.axes[0].get_lines() if line.get_xdata().size > 2]
    for line, losses in zip(lines, (loss[0], loss[-1]), strict=True):
        x, y = STEP_LOOKUP_MAP[line.get_drawstyle()](line.get_xdata(), line.get_ydata())
        for at in (0.01, 0.5, 0.99, 1.5, 2.9):
            drawn = y[np.searchsorted(x, at)] if at <= x[-1] else 0.0
            assert drawn == pytest.approx((losses >= at).mean())
    close_figure(figure)


@pytest.mark.parametrize("top", [0.002, 0.008, 0.021, 0.04, 0.1, 0.6, 1.0])
def test_ticks_in_percent_are_told_apart(top: float) -> None:
    with new_figure(5.0, 3.0, title="", caption="") as figure:
        axes = figure.subplots()
        axes.set_ylim(0.0, top)
        axes.yaxis.set_major_formatter(percent_ticks())
        FigureCanvasAgg(figure).draw()
        words = [tick.get_text() for tick in axes.get_yticklabels()]
        assert len(set(words)) == len(words) > 2
        close_figure(figure)


def test_pictures_of_a_small_saving_have_ticks_that_are_told_apart(result: PlanResult) -> None:
    line = {"low": 0.001, "high": 0.021, "reduction": 0.01, "mean_loss_before": 10.0,
            "mean_loss_after": 9.9, "fires": 50, "wind_from_deg": 0.0, "dead_moisture_1h": 0.06,
            "wind_20ft_km_h": 9.0}
    methods = {"none": {"reduction": 0.01, "low": 0.001, "high": 0.021}}
    effect = result.effect._replace(loss=100.0 - np.linspace(
        0.0, 1.0, len(result.effect.loss))[:, None] + np.zeros_like(result.effect.loss))
    for figure, along in ((weather_figure([line], "ha", caption=""), "x"),
                          (comparison_figure(methods, caption=""), "x"),
                          (budget_figure(effect, "cells", {}, loss_unit="ha", caption=""), "y")):
        FigureCanvasAgg(figure).draw()
        axis = getattr(figure.axes[0], f"{along}axis")
        words = [tick.get_text() for tick in axis.get_ticklabels()]
        assert len(set(words)) == len(words)
        close_figure(figure)


def test_a_single_fire_of_a_weather_has_no_interval_in_the_picture() -> None:
    line = {"low": None, "high": None, "reduction": 0.3, "mean_loss_before": 10.0,
            "mean_loss_after": 7.0, "fires": 1, "wind_from_deg": 67.5, "dead_moisture_1h": 0.06,
            "wind_20ft_km_h": 9.0}
    figure = weather_figure([line], "ha", caption="")
    words = {text.get_text() for text in figure.findobj(Text)}
    assert {"10.0", "7.0", "1"} <= words
    assert "9 km/h from ENE (67.5°), 1-h fuel 6 %" in words
    close_figure(figure)


def test_weathers_that_differ_in_one_moisture_have_different_labels() -> None:
    line = {"low": None, "high": None, "reduction": 0.3, "mean_loss_before": 10.0,
            "mean_loss_after": 7.0, "fires": 1, "wind_from_deg": 90.0, "dead_moisture_1h": 0.06,
            "wind_20ft_km_h": 9.0, "live_moisture_herb": 0.3, "live_moisture_woody": 0.6}
    green = line | {"live_moisture_herb": 0.6, "live_moisture_woody": 0.9}
    figure = weather_figure([line, green, line | {"wind_20ft_km_h": 20.0}], "ha", caption="")
    assert {text.get_text() for text in figure.axes[0].get_yticklabels()} == {
        "9 km/h from E (90°), 1-h fuel 6 %, herbs 30 %",
        "9 km/h from E (90°), 1-h fuel 6 %, herbs 60 %",
        "20 km/h from E (90°), 1-h fuel 6 %"}
    close_figure(figure)


def test_what_is_outlined_in_the_plans_picture_is_named(result: PlanResult) -> None:
    figure = segments_figure(result.full, result.segments, title="", caption="", outlines={
        "required": np.empty(0, np.int64), "existing": np.array([3]), "standing": np.array([7])})
    words = {text.get_text() for text in figure.findobj(Text)}
    assert {"existing", "standing"} <= words
    assert "required" not in words
    close_figure(figure)


def test_breaks_that_stand_already_are_told(result: PlanResult) -> None:
    text = page_of(result._replace(standing=np.array([3, 4])))
    assert "Breaks that stand already: 2 cells, part of the land" in text
    assert "stand already" not in page_of(result)


@pytest.mark.parametrize(("speeds", "hours", "step_min", "words"), [
    ([300.0], 1, 60.0, "Weather: 1 kind, wind 20 ft above the vegetation: 18 km/h from W (270°)."),
    ([300.0, 300.0, 400.0], 1, 60.0,
     "Weather: 3 kinds, wind 20 ft above the vegetation: 18 km/h from W (270°), 24 km/h from W "
     "(270°)."),
    ([300.0] * 14, 14, 60.0, "Weather: 1 kind, which changes by the hour for 14 hours, wind 20 ft "
     "above the vegetation in these hours: 18 km/h from W (270°)."),
    ([300.0, 400.0, 300.0, 0.0], 2, 60.0, "Weather: 2 kinds, each of which changes by the hour for "
     "2 hours, wind 20 ft above the vegetation in these hours: 18 km/h from W (270°), 24 km/h from "
     "W (270°), calm."),
    ([300.0] * 4, 4, 30.0, "Weather: 1 kind, which changes every 30 minutes for 120 minutes, wind "
     "20 ft above the vegetation in this time: 18 km/h from W (270°)."),
])
def test_weather_is_counted_in_words_and_equal_winds_are_named_once(
        result: PlanResult, speeds: list[float], hours: int, step_min: float, words: str) -> None:
    assert words in assumptions(reported(in_weather(result, speeds, hours, step_min), None, ORIGIN))


def test_of_many_winds_the_first_are_named(result: PlanResult) -> None:
    speeds = [100.0 * k for k in range(1, 15)]
    text = " ".join(assumptions(reported(in_weather(result, [*speeds, *speeds], 28), None, ORIGIN)))
    assert "72 km/h from W (270°) and 2 more." in text


def in_weather(result: PlanResult, speeds: list[float], hours: int,
               step_min: float = 60.0) -> PlanResult:
    """The plan as if its fires had burned in west winds of these speeds, m/min."""
    scene, count = result.scene, len(speeds)
    rows = type(scene.scenarios)(*(np.resize(values, count) for values in scene.scenarios))
    rows = rows._replace(wind_20ft_m_min=np.array(speeds), wind_from_deg=np.full(count, 270.0))
    return result._replace(scene=replace(
        scene, streams=WeatherStreams(rows, hours, step_min,
                                      np.full(count // hours, hours / count)),
        travel=scene.field._replace(steps=hours, step_min=step_min)))
