"""Maps: what they show, in which colours, and that no figure stays open."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image
from rasterio.crs import CRS

from firebreak.landscape.candidates.corridor import corridor_of
from firebreak.landscape.fuel_systems import ROTHERMEL
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.memory.registry import live_counts
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.plan import Plan
from firebreak.planning.output.segment_layers import RANK_COLOURS
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import close_figure, new_figure, save_figure
from firebreak.report.figures.coordinates import Whole
from firebreak.report.figures.maps import (
    arrival_figure,
    burn_probability_figure,
    field_figure,
    isochrones,
    landscape_figure,
    plan_figure,
    q_map_figure,
)
from firebreak.report.figures.plan_figures import segments_figure


@pytest.fixture
def land() -> Landscape:
    return generate(3, (16, 20))


def plan_of(land: Landscape, cells: np.ndarray) -> Plan:
    return Plan(method="random", cells=cells, shape=land.shape, cost=float(cells.size),
                cost_unit="cells", budget=float(max(cells.size, 1)), budget_share=0.05,
                landscape=land.name, landscape_checksum="", plan_fires=8, seed=0, seconds=0.0,
                simulations=0.0)


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


def figures_open() -> int:
    return live_counts().get("Figure", 0)


def breaks_of(land: Landscape, count: int) -> np.ndarray:
    mask = np.zeros(land.shape, np.bool_)
    mask.ravel()[np.flatnonzero(land.treatable)[::7][:count]] = True
    return mask


def every_map(land: Landscape) -> dict[str, Callable[[], Figure]]:
    zero = np.zeros(land.shape)
    breaks = breaks_of(land, 3)
    arrival = np.arange(float(land.fuel_model.size)).reshape(land.shape)
    arrival[land.shape[0] // 2:] = np.inf
    return {
        "landscape": lambda: landscape_figure(land, caption="here"),
        "burn": lambda: burn_probability_figure(land, zero + 0.2, zero + 0.1, breaks,
                                                caption="here"),
        "untouched": lambda: burn_probability_figure(land, zero, zero, breaks & False,
                                                     caption="here"),
        "plan": lambda: plan_figure(land, plan_of(land, np.flatnonzero(breaks)), caption="here"),
        "one": lambda: plan_figure(land, plan_of(land, np.flatnonzero(breaks)[:1]), caption="h"),
        "none": lambda: plan_figure(land, plan_of(land, np.empty(0, np.int64)), caption="here"),
        "q": lambda: q_map_figure(land, zero.astype(np.float32), land.treatable & ~breaks,
                                  breaks, caption="here"),
        "field": lambda: field_figure(land, zero, title="Zero", label="m", colours="YlOrBr",
                                      caption="here"),
        "arrival": lambda: arrival_figure(land, arrival, caption="here"),
    }


@pytest.mark.parametrize("name", list(every_map(generate(3, (16, 20)))))
def test_every_map_is_written_and_closed(tmp_path: Path, land: Landscape, name: str) -> None:
    path = save_figure(every_map(land)[name](), tmp_path / "deep" / f"{name}.png")
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert np.ptp(np.asarray(image.convert("L"))) > 100
    assert figures_open() == 0
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(4, 4), (6, 40), (40, 6)])
def test_small_and_long_maps_are_drawn(tmp_path: Path, shape: tuple[int, int]) -> None:
    land = generate(1, shape)
    for name in ("landscape", "plan"):
        assert save_figure(every_map(land)[name](), tmp_path / f"{name}.png").stat().st_size > 5000


def test_a_figure_is_closed_when_saving_fails(tmp_path: Path, land: Landscape) -> None:
    (tmp_path / "map.png").mkdir()
    figure = landscape_figure(land, caption="here")
    assert figures_open() == 1
    with pytest.raises(OSError, match=r"map\.png"):
        save_figure(figure, tmp_path / "map.png")
    assert figures_open() == 0
    assert [file.name for file in tmp_path.iterdir()] == ["map.png"]


def fail_while_drawing() -> None:
    with new_figure(2.0, 2.0, title="t", caption="c"):
        raise RuntimeError("while drawing")


def test_a_figure_is_closed_when_drawing_fails() -> None:
    with pytest.raises(RuntimeError, match="while drawing"):
        fail_while_drawing()
    assert figures_open() == 0


@pytest.mark.slow
def test_the_legend_lists_the_fuels_present_by_area(land: Landscape) -> None:
    figure = landscape_figure(land, caption="here")
    listed = [text for text in words(figure) if text.endswith("%")]
    close_figure(figure)
    shares = carto.fuel_shares(land.fuel_model)
    kinds = {"GR": " grass", "GS": " grass-shrub", "SH": " shrub", "TU": " timber-understory",
             "TL": " timber litter", "SB": " slash-blowdown", "NB": ""}
    assert [text.split("  ")[0] for text in listed] == [
        f"{name}{kinds[name[:2]]}" for name in (ROTHERMEL.label(code) for code, _ in shares)]
    assert {code for code, _ in shares} == set(np.unique(land.fuel_model).tolist())
    assert [share for _, share in shares] == sorted((s for _, s in shares), reverse=True)
    assert sum(share for _, share in shares) == pytest.approx(1.0)


CODES = [*range(101, 110), *range(121, 125), *range(141, 150), *range(161, 166), *range(181, 190)]


def with_fuels(count: int) -> Landscape:
    land = generate(3, (16, 20))
    fuel = np.resize(np.array(CODES[:count], np.int16), land.fuel_model.size)
    return replace(land, fuel_model=fuel.reshape(land.shape))


def located(land: Landscape) -> Landscape:
    """A landscape in California, with a map of where that is below its legends."""
    return replace(land, crs=CRS.from_epsg(32611).to_wkt(),
                   transform=(100.0, 0.0, 437_950.0, 0.0, -100.0, 3_733_880.0))


def segments_map(land: Landscape, years: int = 0, outlined: int = 0) -> Figure:
    segments = break_segments_of(breaks_of(land, 18), land)
    return segments_figure(
        land, segments, title="Plan", caption="here", whole=Whole(land, (0, 0)),
        years=[2027 + k % years for k in range(len(segments))] if years else None,
        outlines={f"outlined {k}": np.array([25 + k]) for k in range(outlined)})


def test_houses_and_roads_are_drawn_where_they_are_known(land: Landscape) -> None:
    value, road = np.zeros(land.shape, np.float32), np.full(land.shape, 90.0)
    value[3, 4:6], road[7] = 1.0, 0.0
    known = replace(land, value=value, value_unit="homes", road_m=road)
    for own, marks in ((land, set[str]()), (known, {"homes", "roads"})):
        figure = segments_figure(own, [], title="", caption="")
        assert {"homes", "roads"} & {*words(figure)} == marks
        homes = [np.asarray(some.get_offsets()).tolist() for some in figure.axes[0].collections
                 if some.get_label() == "homes"]
        assert homes == ([[[4.0, 3.0], [5.0, 3.0]]] if marks else [])
        close_figure(figure)


@pytest.mark.parametrize(("count", "classes"), [
    (12, []), (13, ["1 to 3", "4 to 5", "6 to 8", "9 to 10", "11 to 13"])])
def test_many_segments_have_five_classes_of_priority(land: Landscape, count: int,
                                                     classes: list[str]) -> None:
    """Each class has the colour of its segments, the first to build the first colour."""
    segments = [corridor_of(np.array([17 * k + 1]), land, "segment") for k in range(count)]
    figure = segments_figure(land, segments, title="", caption="")
    legends = [axes.get_legend() for axes in figure.axes]
    words = [text.get_text() for own in legends if own for text in own.get_texts()]
    marks = [tuple(own.get_facecolor()[0]) for own in figure.axes[0].collections
             if own.get_zorder() == 3 and own.get_array() is None]
    close_figure(figure)
    assert [word for word in words if "build" in word] == [f"build order {own}" for own in classes]
    assert [to_hex(own) for own in marks] == list(RANK_COLOURS if classes else ())


LEGENDS: dict[str, Callable[[Landscape], Figure]] = {
    "landscape": lambda land: landscape_figure(land, caption="here"),
    "plan": lambda land: plan_figure(land, plan_of(land, np.arange(40, 44)), caption="here"),
    "segments": segments_map,
    "outlines": lambda land: segments_map(land, outlined=3),
    "years": lambda land: segments_map(land, years=2),
    "many years": lambda land: segments_map(land, years=16, outlined=3),
}


@pytest.mark.parametrize(("name", "marked", "count"), [
    ("landscape", False, 36), ("landscape", True, 24), ("plan", True, 36), ("segments", False, 17),
    ("segments", True, 1), ("outlines", True, 36), ("years", True, 36), ("many years", True, 17)])
def test_the_words_of_the_legends_lie_apart_and_in_the_picture(name: str, marked: bool,
                                                               count: int) -> None:
    land = located(with_fuels(count))
    if marked:
        treatable = land.treatable.copy()
        treatable[:, 12:] = False
        land = replace(land, treatable=treatable)
    figure = LEGENDS[name](land)
    drawn = FigureCanvasAgg(figure)
    drawn.draw()
    fuels = [text for text in figure.findobj(Text)
             if isinstance(text, Text) and text.get_text().endswith("%")]
    others = [text.get_text() for text in fuels if " more fuels " in text.get_text()]
    axes = fuels[0].axes
    assert axes is not None
    small_maps = [small for parent in figure.axes for small in parent.child_axes]
    place = [text for text in figure.findobj(Text) if "° " in str(text)]
    boxes = [artist.get_window_extent(drawn.get_renderer()) for artist in (
        *fuels, *filter(None, [axes.get_legend()]), *small_maps, *place)]
    told = len(fuels) - len(others)
    close_figure(figure)
    assert told >= min(count, 5)
    assert [text.split(" ")[0] for text in others] == [f"{count - told}"][:count > told]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    width, height = drawn.get_width_height()
    assert all(box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in boxes)


def test_cells_outside_the_data_are_no_fuel(land: Landscape) -> None:
    fuel = land.fuel_model.copy()
    fuel[:4] = NODATA
    assert NODATA not in [code for code, _ in carto.fuel_shares(fuel)]
    assert (carto.fuel_rgb(replace(land, fuel_model=fuel, slope_tan=0 * land.slope_tan))[:4]
            == 1.0).all()


def test_the_caption_says_where_the_map_lies(land: Landscape) -> None:
    wkt = 'PROJCS["WGS 84 / UTM zone 11N",GEOGCS["WGS 84"]]'
    assert "no CRS" in carto.place_of(land)
    assert "WGS 84 / UTM zone 11N" in carto.place_of(replace(land, crs=wkt))
    assert "EPSG:32611" in carto.place_of(replace(land, crs="EPSG:32611"))
    assert carto.caption_of(land, seed=7, run="quick-1") == f"{land.name} · seed 7 · run quick-1"


def test_breaks_are_numbered_in_order_of_placement(land: Landscape) -> None:
    cells = np.flatnonzero(land.treatable)[[30, 4, 11]]
    figure = plan_figure(land, plan_of(land, cells), caption="here")
    axes = figure.axes[0]
    placed = {text.get_text(): text.get_position() for text in axes.texts}
    for number, cell in enumerate(cells.tolist(), start=1):
        row, col = divmod(cell, land.shape[1])
        assert placed[f"{number}"] == (col, row)
    close_figure(figure)


def map_pixels(figure: Figure) -> np.ndarray:
    """The map of a figure's first axes as drawn, rows from the top, RGB."""
    FigureCanvasAgg(figure).draw()
    box = figure.axes[0].get_window_extent()
    image = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    top = image.shape[0] - int(box.y1)
    close_figure(figure)
    return image[top:image.shape[0] - int(box.y0), int(box.x0):int(box.x1)]


def test_a_break_is_seen_at_its_place_and_north_is_up(land: Landscape) -> None:
    cell = int(np.flatnonzero(land.treatable)[0])
    pictures = []
    for cells in (np.array([cell]), np.empty(0, np.int64)):
        figure = plan_figure(land, plan_of(land, cells), caption="here")
        pictures.append(map_pixels(figure))
    row, col = divmod(cell, land.shape[1])
    rows, cols = land.shape

    def cell_colour(picture: np.ndarray, up: int) -> np.ndarray:
        y = int((up + 0.2) / rows * picture.shape[0])
        x = int((col + 0.2) / cols * picture.shape[1])
        return picture[y, x].astype(int)

    assert np.abs(cell_colour(pictures[0], row) - cell_colour(pictures[1], row)).max() > 60
    other = rows - 1 - row
    assert np.abs(cell_colour(pictures[0], other) - cell_colour(pictures[1], other)).max() < 10


def test_the_ring_marks_the_best_available_cell(land: Landscape) -> None:
    values = np.zeros(land.shape, np.float32)
    allowed = np.argwhere(land.treatable)
    row, col = allowed[5]
    values[row, col] = 2.5
    blocked = np.argwhere(~land.treatable)[0]
    values[tuple(blocked)] = 9.0
    figure = q_map_figure(land, values, land.treatable, breaks_of(land, 0), caption="here")
    assert f"row {row}, column {col} (2.50 %)" in " ".join(words(figure)).replace("\n", " ")
    close_figure(figure)


def test_a_part_is_outlined_only_where_it_could_go_on(land: Landscape) -> None:
    inside = np.array([[1, 1, 0], [1, 1, 0]], np.bool_)
    among = np.array([[1, 1, 1], [1, 1, 0]], np.bool_)
    assert carto.border(inside, among).tolist() == [[[1.5, -0.5], [1.5, 0.5]]]
    figure = landscape_figure(land, caption="here")
    assert not {"edge of the treatable area", "burns, may not be treated"} & {*words(figure)}
    close_figure(figure)
    part = replace(land, treatable=land.treatable & (np.arange(20) < 8))
    figure = landscape_figure(part, caption="here")
    assert {"edge of the treatable area", "burns, may not be treated"} <= {*words(figure)}
    assert [patch.get_hatch() for patch in figure.axes[0].patches] == ["/////"]
    close_figure(figure)
    checked = replace(land, fuel_model=np.full_like(land.fuel_model, 101),
                      treatable=np.indices(land.shape).sum(axis=0) % 2 > 0)
    figure = landscape_figure(checked, caption="here")
    assert "edge of the treatable area" not in words(figure)
    assert "burns, may not be treated" in words(figure)
    close_figure(figure)


def test_light_falls_from_the_north_west(land: Landscape) -> None:
    slopes = replace(land, slope_tan=np.full(land.shape, 0.5),
                     aspect_deg=np.where(np.arange(20) < 10, 315.0, 135.0) + 0 * land.slope_tan)
    light = carto.hillshade(slopes)
    assert (light[:, :10] > 1.0).all()
    assert (light[:, 10:] < 1.0).all()
    assert carto.hillshade(replace(land, slope_tan=0 * land.slope_tan)) == pytest.approx(1.0)


@pytest.mark.parametrize(("width", "metres", "text"), [
    (2000.0, 500.0, "500 m"), (15_000.0, 2000.0, "2 km"), (40.0, 10.0, "10 m")])
def test_scale_bars_are_round(width: float, metres: float, text: str) -> None:
    assert carto.scale_bar(width) == (metres, text)


def test_isochrones_are_round_and_inside() -> None:
    assert isochrones(5548.0) == [1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
    assert all(0 < time < 90 for time in isochrones(90.0))


def test_dots_of_chance_stand_out_on_every_colour(land: Landscape) -> None:
    """On a map of one colour each, dotted cells hold darker and lighter pixels than the colour."""
    def brightness(rgb: np.ndarray) -> np.ndarray:
        return rgb[..., :3] @ (0.299, 0.587, 0.114)

    mask = np.ones((12, 12), np.bool_)
    for colour in colormaps["RdBu_r"](np.linspace(0.0, 1.0, 5)):
        with new_figure(4.3, 4.3, title="", caption="") as figure:
            axes = figure.subplots()
            axes.set(xlim=(-0.5, 11.5), ylim=(11.5, -0.5), facecolor=colour)
            carto.dot_cells(axes, mask)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            pixels = brightness(np.asarray(canvas.buffer_rgba())[150:250, 150:250] / 255.0)
            close_figure(figure)
        assert np.abs(pixels - brightness(colour)).max() > 0.35


def test_large_maps_are_dotted_all_over_but_not_in_every_cell() -> None:
    with new_figure(4.3, 4.3, title="", caption="") as figure:
        axes = figure.subplots()
        mask = np.zeros((300, 200), np.bool_)
        mask[100:200, 50:150] = True
        carto.dot_cells(axes, mask)
        x, y = axes.collections[0].get_offsets().T
        assert mask[y.astype(int), x.astype(int)].all()
        assert 300 < x.size < 1000
        close_figure(figure)
