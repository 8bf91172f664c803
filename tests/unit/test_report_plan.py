"""The report of a plan: one file that asks nothing of a network, with what it has to say."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from firebreak.fire.scene import FireConditions, Scene, make_scene
from firebreak.landscape.synthetic import generate
from firebreak.memory.registry import live_counts
from firebreak.planning.build_order import in_build_order
from firebreak.planning.effect import effect_of, saved_by_order
from firebreak.planning.evaluate import Evaluation, evaluate
from firebreak.planning.export_effect import PlanResult, plan_id
from firebreak.planning.methods import make_plan
from firebreak.planning.phases import Phase, years_of
from firebreak.planning.stretches import segments_of
from firebreak.report import html, run_report
from firebreak.report.canvas import close_figure
from firebreak.report.plan_figures import compass, stopping_point, weather_figure
from firebreak.report.plan_page import LIMITS, Origin
from firebreak.report.plan_report import write_plan_report

ORIGIN = Origin("firebreak plan 'a <b> & c'", {"budget": 0.1}, ["plan.tif"])
FORBIDDEN = re.compile(r"https?://|//[a-z]|<script|<link|<iframe|@import|url\(", re.IGNORECASE)


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
    order = in_build_order(scene, segments_of(plan.break_mask(), land), 16)
    return PlanResult(scene, plan, land, (0, 0), order, effect_of(scene, order, 40), 0,
                      plan.cells[:1])


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
        patch.setattr(run_report, "SHOW_FIRES", 8)
        curves = {"none": saved_by_order(result.scene, result.plan, result.effect.loss[0], 0.5,
                                         points=2)}
        files = write_plan_report(out, result._replace(years=years_of(result.segments, phases)),
                                  evaluation, curves, ORIGIN)
    assert {path.name for path in files} == {path.name for path in out.iterdir()}
    beside = files[-1].read_text().partition("Files beside this page")[2]
    assert all(f"<li>{path.name}</li>" in beside for path in files[:-1])
    return out


def test_the_report_is_one_file_without_a_network(written: Path) -> None:
    text = (written / "report.html").read_text(encoding="utf-8")
    assert not FORBIDDEN.search(re.sub(r"data:image/\w+;base64,[\w+/=]+", "", text))
    page = Page(text)
    assert page.open == []
    assert page.links <= page.anchors
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
    for said in (ORIGIN.command, result.full.checksum(), plan_id(result), "numpy",
                 "that no method was shown judge it", "over 40 test fires", "burn-probability",
                 "2027", *LIMITS):
        assert said in words, said


def test_the_headline_is_the_measured_reduction(written: Path, result: PlanResult) -> None:
    loss = result.effect.loss
    text = (written / "report.html").read_text()
    assert f"<b>{1 - loss[-1].mean() / loss[0].mean():.1%}</b>" in text


def test_a_plan_of_nothing_has_a_report_too(scene: Scene, tmp_path: Path,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_report, "SHOW_FIRES", 8)
    files = write_plan_report(tmp_path, result_of(scene, "none"), None, {}, ORIGIN)
    text = files[-1].read_text()
    assert "these fires do not show that the plan helps" in text
    assert not (tmp_path / "budget.png").exists()


def test_words_cannot_become_markup() -> None:
    text = html.page("<b>", "&", "", [html.Section("<i>", "a", html.table(
        ["<u>"], [["<s>", "&amp;"]], "<q>"))], "<p>")
    for raw in ("<b>", "<i>", "<u>", "<s>", "<q>"):
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
                            caption="of a test")
    FigureCanvasAgg(figure).draw()
    words = [text for text in figure.findobj(Text) if text.get_text()]
    places = [text.get_window_extent() for text in words]
    assert all(0.0 <= place.y0 < place.y1 <= figure.bbox.height for place in places)
    caption = next(place for text, place in zip(words, places, strict=True)
                   if text.get_text() == "of a test")
    assert not any(caption.overlaps(place) for place in places if place is not caption)
    assert "calm, 1-h fuel 6 %" in {text.get_text() for text in words}
    close_figure(figure)


@pytest.mark.parametrize(("degrees", "name"), [(0, "N"), (22, "N"), (23, "NE"), (180, "S"),
                                               (350, "N"), (292, "W"), (293, "NW")])
def test_winds_are_named(degrees: float, name: str) -> None:
    assert compass(degrees) == name
