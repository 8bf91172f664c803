"""The explorer's numbers are those of burning anew, and its server answers what it may and no more.
"""

import base64
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rasterio.crs import CRS

from firebreak.agent.policy_file import load_policy
from firebreak.checks import InputError
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.landscape import AREA, MARGIN
from firebreak.landscape.raster.degrees import degrees_of
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.making import make_plan
from firebreak.report.explorer.page import (
    LARGE_MAP,
    NO_NUMBER,
    SMALL_MAP,
    kept_steps,
    packed,
    plan_data,
    start_data,
    static_page,
)
from firebreak.report.explorer.plans import (
    COMPARED,
    Exploration,
    compared_plan,
    exploration,
    key_steps,
    other_methods,
    shown_plan,
)
from firebreak.report.explorer.queries import MOST_QUERY, breaks_of, parameters
from firebreak.report.explorer.server import Explorer, ExplorerServer
from firebreak.report.explorer.state import EXPLORE_SET, ExplorerState, Wind
from firebreak.report.figures.canvas import colour_of
from serving import serving

PLAN_FIRES, BUDGET = 24, 0.05
DOWNSTREAM, LINES = COMPARED


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(3, 20), FireConditions(scenarios=3), 0)


@pytest.fixture(scope="module")
def state(scene: Scene) -> ExplorerState:
    return ExplorerState(scene, budget_share=BUDGET, plan_fires=PLAN_FIRES, policy=load_policy())


def shown_of(state: ExplorerState, cells: np.ndarray) -> Exploration:
    return Exploration(state, shown_plan(state, DOWNSTREAM, cells, lambda: None), "seed 0")


@pytest.fixture(scope="module")
def explorer(scene: Scene, state: ExplorerState) -> Explorer:
    cells = make_plan(scene, BUDGET, PLAN_FIRES, DOWNSTREAM, seed=0).cells
    return Explorer(shown_of(state, cells), 1)


@pytest.fixture(scope="module")
def server(explorer: Explorer) -> Iterator[ExplorerServer]:
    with serving(explorer) as made:
        yield made


def asked(server: ExplorerServer, path: str, token: str = "",
          **headers: str) -> tuple[int, str, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=300)
    connection.request("GET", f"/{token or server.token}{path}", headers=headers)
    reply = connection.getresponse()
    text = reply.read().decode("utf-8")
    connection.close()
    return reply.status, text, reply


def unpacked(grid: dict) -> np.ndarray:
    whole = np.frombuffer(base64.b64decode(grid["data"]), "<u2")
    return np.where(whole == NO_NUMBER, np.nan, grid["offset"] + grid["scale"] * whole)


def mask_of(scene: Scene, cells: list[int]) -> np.ndarray:
    mask = np.zeros(scene.landscape.shape, np.bool_)
    mask.flat[cells] = True
    return mask


def test_any_set_of_breaks_in_any_order_is_as_burned_anew(scene: Scene,
                                                          state: ExplorerState) -> None:
    treatable = np.flatnonzero(scene.landscape.treatable)
    rng = np.random.default_rng(0)
    fires = scene.fires(EXPLORE_SET, state.explore_fires)
    before = burn(scene, fires).loss
    for count in (5, 90, 0, 40, 40, 200):
        cells = rng.choice(treatable, count, replace=False).tolist()
        mask = mask_of(scene, cells)
        anew = burn(scene, fires, mask, want="statistics")
        outcome = state.outcome(cells)
        np.testing.assert_allclose(outcome.losses, anew.loss, rtol=1e-9)
        np.testing.assert_allclose(outcome.burn_probability, anew.burn_probability)
        assert outcome.reduction.mean == pytest.approx(1 - anew.loss.mean() / before.mean())
        assert outcome.reduction.low <= outcome.reduction.mean <= outcome.reduction.high
        off = [float(burned.lost[~mask].sum()) for burned in
               (burn(scene, fires, want="statistics"), anew)]
        assert outcome.outside == pytest.approx(1 - off[1] / off[0])


def test_the_interval_of_a_reduction_is_that_of_a_bootstrap(scene: Scene,
                                                            state: ExplorerState) -> None:
    cells = np.flatnonzero(scene.landscape.treatable)[::9].tolist()
    outcome = state.outcome(cells)
    before, after = state.untreated.losses, outcome.losses
    rows = np.random.default_rng(1).integers(before.size, size=(4000, before.size))
    drops = 1 - after[rows].sum(axis=1) / before[rows].sum(axis=1)
    low, high = np.percentile(drops, [2.5, 97.5])
    width = outcome.reduction.high - outcome.reduction.low
    assert width == pytest.approx(high - low, rel=0.15)
    assert abs(outcome.reduction.low - low) < 0.15 * width


def test_a_gain_is_the_drop_that_placing_the_break_brings(scene: Scene,
                                                          state: ExplorerState) -> None:
    own = np.flatnonzero(scene.landscape.treatable)[::30].tolist()
    cell = int(np.argmax(np.where(mask_of(scene, own) | ~scene.landscape.treatable, -1.0,
                                  state.outcome(own).downstream_value)))
    expected = state.outcome([*own, cell]).reduction.mean - state.outcome(own).reduction.mean
    assert expected > 0.0
    assert state.gain(own, cell) == pytest.approx(expected)


def test_a_lit_fire_is_the_engines_fire_in_that_wind(scene: Scene, state: ExplorerState) -> None:
    cell = int(np.flatnonzero(scene.landscape.burnable)[150])
    cells = np.flatnonzero(scene.landscape.treatable)[::7].tolist()
    wind = Wind(30.0, 270.0, 0.05)
    lit = state.light(cell, wind, 400.0, cells)
    damp = state.light(cell, wind._replace(dead_moisture_1h=0.14), 400.0, cells)
    assert 0 < np.isfinite(damp.without).sum() < np.isfinite(lit.without).sum()
    own = state._winds[wind]
    fire = own.fires(EXPLORE_SET, 1)._replace(
        source=np.array([cell]), scenario=np.zeros(1, np.int64), duration_min=np.array([400.0]))
    treated = burn(own, fire, mask_of(scene, cells), want="arrival").arrivals_min[0]
    np.testing.assert_array_equal(lit.treated, treated)
    col = np.nonzero(np.isfinite(lit.without))[1]
    # A wind from the west carries the fire to the east of where it started.
    assert col.max() - cell % 20 > cell % 20 - col.min()


@pytest.mark.parametrize("method", [DOWNSTREAM, LINES])
def test_the_others_are_the_methods_of_their_names(scene: Scene, state: ExplorerState,
                                                   method: str) -> None:
    turns: list[int] = []
    plan = compared_plan(state, method, lambda: turns.append(1))
    made = make_plan(scene, BUDGET, PLAN_FIRES, method, seed=0)
    assert list(plan.cells) == made.cells.tolist()
    assert len(turns) >= 10
    assert method not in other_methods(scene, method)


def test_plans_in_the_making_give_way_and_then_are_there(explorer: Explorer) -> None:
    assert explorer.pending == [LINES]
    explorer.make_others()
    answer = explorer.ask("/api/plans", "")
    assert answer["pending"] == []
    assert [plan["name"] for plan in answer["plans"]] == [DOWNSTREAM, LINES]
    greedy = answer["plans"][1]
    step, mean, low, high = greedy["curve"][-1]
    assert step == len(greedy["cells"])
    assert low < mean < high


def test_plans_in_the_making_end_when_the_explorer_closes(
        scene: Scene, state: ExplorerState, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = np.flatnonzero(scene.landscape.treatable)[:3]
    explorer = Explorer(shown_of(state, cells), 1)

    def endless(*asked: Any) -> None:
        while True:
            asked[-1]()

    monkeypatch.setattr("firebreak.report.explorer.server.compared_plan", endless)
    others = threading.Thread(target=explorer.make_others, daemon=True)
    others.start()
    others.join(0.2)
    assert others.is_alive()
    explorer.close()
    others.join(60)
    assert not others.is_alive()
    assert explorer.pending


def test_steps_of_a_curve_begin_with_none_and_end_with_all() -> None:
    assert key_steps(0) == (0,)
    assert key_steps(3) == (0, 1, 2, 3)
    assert key_steps(800)[:2] == (0, 50)
    assert key_steps(800)[-1] == 800


def test_packed_grids_come_back_to_a_part_in_65534() -> None:
    grid = np.array([[0.25, -3.0, np.nan], [7.5, np.inf, 0.0]])
    back = unpacked(packed(grid)).reshape(grid.shape)
    np.testing.assert_array_equal(np.isnan(back), ~np.isfinite(grid))
    np.testing.assert_allclose(back[np.isfinite(grid)], grid[np.isfinite(grid)],
                               atol=10.5 / 65534)
    assert unpacked(packed(np.full((2, 2), np.nan))).size == 4


@pytest.mark.parametrize(("query", "words"), [
    ("plan=nope&step=1", "plan 'nope'"), ("step=1", "plan ''"),
    (f"plan={DOWNSTREAM}", "step: expected a whole number"),
    (f"plan={DOWNSTREAM}&step=-1", "'-1'"), (f"plan={DOWNSTREAM}&step=9999", "'9999'"),
    (f"plan={DOWNSTREAM}&step=1e1", "'1e1'"), (f"plan={DOWNSTREAM}&step=²", "'²'"),
    (f"plan={DOWNSTREAM}&step=0&add=400", "add: expected a whole number from 0 to 399"),
    (f"plan={DOWNSTREAM}&step=0&add=WATER", "expected a treatable cell"),
    (f"plan={DOWNSTREAM}&step=0&remove=FIRST", "expected a break of the plan"),
    (f"plan={DOWNSTREAM}&step=1&add=FIRST", "expected a cell without a break"),
    (f"plan={DOWNSTREAM}&step=0&add=OTHER,OTHER", "each cell once"),
    (f"plan={DOWNSTREAM}&step=0&path=/etc/passwd", "parameter 'path'"),
    (f"plan={DOWNSTREAM}&step=0&step=1", "each parameter once"),
])
def test_a_bad_question_is_one_sentence_and_400(explorer: Explorer, server: ExplorerServer,
                                                query: str, words: str) -> None:
    land = explorer.state.scene.landscape
    own = explorer.plans[DOWNSTREAM].cells
    other = next(int(c) for c in np.flatnonzero(land.treatable) if c not in own)
    for name, cell in (("WATER", int(np.flatnonzero(~land.treatable)[0])), ("FIRST", own[0]),
                       ("OTHER", other)):
        query = query.replace(name, str(cell))
    status, text, _ = asked(server, f"/api/state?{query.replace('²', '%C2%B2')}")
    said = json.loads(text)["error"]
    assert status == 400
    assert words in said
    assert "\n" not in said


@pytest.mark.parametrize(("name", "text"), [
    ("wind_km_h", "151"), ("wind_km_h", "-1"), ("wind_km_h", "nan"), ("wind_from_deg", "361"),
    ("dead_moisture", "5"), ("minutes", "inf"), ("minutes", "0"), ("minutes", "soon"),
    ("cell", "400"), ("cell", "")])
def test_every_number_of_a_lit_fire_is_bounded(explorer: Explorer, server: ExplorerServer,
                                               name: str, text: str) -> None:
    land = explorer.state.scene.landscape
    good = {"plan": DOWNSTREAM, "step": "1", "cell": str(int(np.flatnonzero(land.burnable)[9])),
            "wind_km_h": "20", "wind_from_deg": "90", "dead_moisture": "0.06", "minutes": "200"}

    def query(values: dict[str, str]) -> str:
        return "/api/fire?" + "&".join(f"{key}={value}" for key, value in values.items())

    assert asked(server, query(good))[0] == 200
    status, words, _ = asked(server, query(good | {name: text}))
    assert status == 400
    assert json.loads(words)["error"].startswith(f"{name}: expected")
    del good[name]
    assert asked(server, query(good))[0] == 400


def test_a_fire_needs_ground_that_burns(explorer: Explorer, server: ExplorerServer) -> None:
    water = int(np.flatnonzero(~explorer.state.scene.landscape.burnable)[0])
    status, text, _ = asked(server, f"/api/fire?plan={DOWNSTREAM}&step=0&cell={water}&wind_km_h=20"
                                  "&wind_from_deg=90&dead_moisture=0.06&minutes=60")
    assert (status, "a cell that burns" in text) == (400, True)


def test_answers_are_the_states_numbers(explorer: Explorer, server: ExplorerServer) -> None:
    own = explorer.plans[DOWNSTREAM].cells
    status, text, _ = asked(server, f"/api/state?plan={DOWNSTREAM}&step=4&remove={own[1]}&q=1")
    answer = json.loads(text)
    cells = [own[0], own[2], own[3]]
    outcome = explorer.state.outcome(cells)
    assert status == 200
    assert answer["cells"] == 3
    assert answer["reduction"] == list(outcome.reduction)
    assert answer["change"][0] == pytest.approx(
        explorer.state.outcome(own[:4]).reduction.mean - outcome.reduction.mean)
    burned = unpacked(answer["burn_probability"])
    np.testing.assert_allclose(burned, outcome.burn_probability.ravel(), atol=2e-5)
    q_values = unpacked(answer["q"])
    assert np.isnan(q_values[list(cells)]).all()
    assert np.isfinite(q_values[own[1]])


def test_the_server_answers_its_own_host_and_page_only(server: ExplorerServer) -> None:
    port = server.server_port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "", f"127.0.0.1:{port + 1}"):
        status, text, _ = asked(server, "/", Host=host)
        assert status == 400, host
        assert "open the address that firebreak printed" in json.loads(text)["error"]
    assert asked(server, "/", Host=f"localhost:{server.server_port}")[0] == 200
    assert asked(server, "/api/plans", **{"Sec-Fetch-Site": "cross-site"})[0] == 400
    assert asked(server, "/api/plans", **{"Sec-Fetch-Site": "same-origin"})[0] == 200


@pytest.mark.parametrize("path", ["/etc/passwd", "/../../etc/passwd", "/page/explorer.js",
                                  "/api", "/api/state/", "//127.0.0.1/", "/%2e%2e/"])
def test_no_address_is_a_path(server: ExplorerServer, path: str) -> None:
    status, text, _ = asked(server, path)
    assert status == 404
    assert "open its page" in json.loads(text)["error"]


def test_the_page_and_its_icon_ask_nothing_from_elsewhere(server: ExplorerServer) -> None:
    status, text, reply = asked(server, "/")
    assert status == 200
    assert reply.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in text
    outside = text.replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in outside
    assert "https://" not in outside
    assert "@DATA@" not in text
    status, icon, reply = asked(server, "", token="favicon.ico")
    assert (status, reply.headers["Content-Type"]) == (200, "image/svg+xml")
    assert icon.startswith("<svg")


def test_a_port_in_use_is_one_sentence(explorer: Explorer, server: ExplorerServer) -> None:
    port = server.server_port
    with pytest.raises(InputError, match=f"--port: expected a free port, got port {port}"):
        ExplorerServer(explorer, port)


def test_a_query_has_a_most() -> None:
    with pytest.raises(InputError, match="at most 20,000 characters"):
        parameters("/api/state", "add=" + "1," * MOST_QUERY)


def test_too_many_edits_are_refused(scene: Scene) -> None:
    many = ",".join(["1"] * 1001)
    with pytest.raises(InputError, match="at most 1000 cells"):
        breaks_of({"plan": "a", "step": "0", "add": many}, {"a": ()}, scene.landscape)


def test_a_map_too_large_to_explore_is_refused() -> None:
    land = SimpleNamespace(fuel_model=np.empty((513, 512)), shape=(513, 512), name="large")
    with pytest.raises(InputError, match=r"512 x 512 .* got 513 x 512; .* --area"):
        ExplorerState(SimpleNamespace(landscape=land), budget_share=0.05, plan_fires=8, policy=None)


def test_plan_fires_are_kept_only_for_a_q_map(scene: Scene, state: ExplorerState) -> None:
    bare = ExplorerState(scene, budget_share=BUDGET, plan_fires=PLAN_FIRES, policy=None)
    assert bare.q_values([]) is None
    assert bare._shown is None
    assert state._shown is not None


def test_the_page_knows_where_cells_lie_and_what_lies_on_them(scene: Scene) -> None:
    rows, cols = scene.landscape.shape
    value = np.zeros((rows, cols), np.float32)
    value[3, 4] = value[10, 2] = 2.0
    land = replace(scene.landscape, crs=CRS.from_epsg(32611).to_wkt(), value=value,
                   transform=(30.0, 0.0, 437_950.0, 0.0, -30.0, 3_733_880.0), value_unit="houses")
    placed = make_scene(land, FireConditions(scenarios=2), 0)
    shown = exploration(placed, None, BUDGET, PLAN_FIRES, "", DOWNSTREAM, np.array([5, 9, 30]),
                        [1, 2, 2], [2027, 2031, 2031], ["north ridge 1", *2 * ["Main Divide"]])
    shown = shown._replace(standing=[7], existing=[8, 9])
    told = ((0.0, 0.0, 0.0), (0.1, 0.05, 0.2), (0.3, 0.2, 0.4))  # by its report
    data = json.loads(json.dumps(start_data(shown, [shown.plan._replace(told=told)], (),
                                            live=True)))
    assert data["plans"][0]["told"] == [list(one) for one in told]
    assert (data["standing"], data["existing"]) == ([7], [8, 9])
    assert (data["points"], data["points_of"]) == ([3 * cols + 4, 10 * cols + 2], "houses")
    assert data["plans"][0]["years"] == [2027, 2031, 2031]
    assert data["plans"][0]["names"] == ["north ridge 1", "Main Divide", "Main Divide"]
    assert data["plans"][0]["colour"] == colour_of(DOWNSTREAM)
    assert data["fuels"][0]["title"] == land.fuels.titles.get(data["fuels"][0]["code"], "")
    # Half way between the points that the page is given, straight lines are good to centimetres.
    count = data["degrees"]["points"]
    grid = np.array([data["degrees"]["east"], data["degrees"]["north"]]).reshape(2, count, count)
    between = grid[:, :2, :2].mean(axis=(1, 2))
    half = 0.5 / (count - 1)
    exact = degrees_of(land, half * rows, half * cols)
    assert exact is not None
    assert between == pytest.approx(np.ravel(exact), abs=2e-7)


def test_houses_are_marked_only_where_few_cells_hold_something(scene: Scene,
                                                               state: ExplorerState) -> None:
    shown = shown_of(state, np.array([5]))
    data = start_data(shown, [shown.plan], (), live=True)
    assert (scene.landscape.value > 0.0).any()
    assert (data["points"], data["points_of"], data["degrees"]) == ([], "", None)


def test_a_page_of_a_large_map_holds_fewer_steps() -> None:
    steps = list(range(17))
    assert kept_steps(steps, SMALL_MAP) == steps
    assert kept_steps(steps, SMALL_MAP + 1) == kept_steps(steps, LARGE_MAP) == steps[::2]
    assert kept_steps([0], LARGE_MAP) == [0]
    assert kept_steps(steps, LARGE_MAP + 1) == [0, 4, 8, 12, 16]
    assert kept_steps([0, 1, 2], LARGE_MAP + 1) == [0, 2]


def test_a_static_page_holds_every_plan_and_cannot_be_broken_out_of(
        scene: Scene, state: ExplorerState) -> None:
    plan = shown_plan(state, "</script><b>", np.flatnonzero(scene.landscape.treatable)[:5],
                      lambda: None)
    text = static_page(Exploration(state, plan, "seed 0"))
    assert text.count("</script>") == 2
    body = text.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    data = json.loads(body)
    assert data["live"] is False
    held = data["states"]["</script><b>"]
    assert [entry["step"] for entry in held] == [0, 1, 2, 3, 4, 5]
    assert held[-1]["reduction"] == list(state.outcome(list(plan.cells)).reduction)
    fire = data["played"][0]
    assert unpacked(fire["without"])[fire["cell"]] == 0.0


@pytest.fixture(scope="module")
def domain(scene: Scene) -> Scene:
    """Land whose area of 6 x 7 cells is shown with a rim; fires start all around it."""
    land = generate(3, 60)
    area = np.zeros(land.shape, np.bool_)
    area[20:26, 30:37] = True
    return make_scene(replace(
        land, zone=np.where(area, AREA, MARGIN).astype(np.int8),
        value=np.where(area, land.value, 0.0).astype(np.float32),
        treatable=land.treatable & area), FireConditions(scenarios=3), 0)


def test_the_area_and_a_rim_are_shown_with_the_numbers_of_the_whole_domain(
        domain: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    rim = 2
    monkeypatch.setattr("firebreak.report.explorer.state.RIM_CELLS", rim)
    state = ExplorerState(domain, budget_share=BUDGET, plan_fires=PLAN_FIRES, policy=None)
    rows, cols = slice(20 - rim, 26 + rim), slice(30 - rim, 37 + rim)
    assert state.land.shape == (6 + 2 * rim, 7 + 2 * rim)
    cells = np.flatnonzero(domain.landscape.treatable)[::5]
    plan = shown_plan(state, DOWNSTREAM, cells, lambda: None)
    assert state.view.whole_cells(np.array(plan.cells)).tolist() == cells.tolist()
    assert state.land.treatable.ravel()[list(plan.cells)].all()
    burned = burn(domain, domain.fires(EXPLORE_SET, state.explore_fires),
                  mask_of(domain, cells.tolist()), want="statistics")
    outcome = state.outcome(plan.cells)
    np.testing.assert_allclose(outcome.losses, burned.loss, rtol=1e-9)
    np.testing.assert_allclose(outcome.burn_probability, burned.burn_probability[rows, cols])
    text = static_page(Exploration(state, plan, "seed 0", cells[:1].tolist()))
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert (data["rows"], data["cols"]) == state.land.shape
    assert data["plans"][0]["cells"] == list(plan.cells)
    assert data["standing"] == [plan.cells[0]]
    starts = [fire["cell"] for fire in data["played"]]
    assert None in starts
    for fire in data["played"]:
        times = unpacked(fire["without"])
        assert np.isfinite(times).any()
        assert fire["cell"] is None or times[fire["cell"]] == 0.0


@pytest.mark.parametrize("path", ["/", "/api/plans", "/api/state"])
def test_without_the_token_nothing_is_answered(server: ExplorerServer, path: str) -> None:
    assert asked(server, path)[0] != 403
    for token in ("x", server.token[:-1], server.token + "x", "api"):
        status, text, _ = asked(server, path, token=token)
        assert status == 403
        assert server.token not in text
    assert server.url == f"http://127.0.0.1:{server.server_port}/{server.token}/"


def test_a_page_that_goes_leaves_no_traceback(server: ExplorerServer,
                                              capfd: pytest.CaptureFixture[str]) -> None:
    for error in (ConnectionResetError(), BrokenPipeError(), TimeoutError()):
        try:
            raise error
        except OSError:
            server.handle_error(None, ("127.0.0.1", 1))
    assert capfd.readouterr().err == ""
    try:
        raise ValueError("a mistake of ours")
    except ValueError:
        server.handle_error(None, ("127.0.0.1", 1))
    assert "a mistake of ours" in capfd.readouterr().err


def test_the_page_says_what_its_breaks_do(scene: Scene, state: ExplorerState) -> None:
    shaded = replace(scene, conditions=FireConditions(treatment=Treatment(kind="shaded")))
    for own, said in ((scene, "does not cross"), (shaded, "fire can cross")):
        parts = {name: getattr(state, name) for name in (
            "explore_fires", "groups", "untreated", "has_q_map", "mean_wind", "view")}
        shown = Exploration(SimpleNamespace(**parts, scene=own), None, "")
        data = start_data(shown, [], [], live=False)
        assert said in data["breaks"]
        assert "No crew holds a fire" in data["breaks"]
        assert data["fires_end"] == "Fires burn without suppression until their duration ends."


def test_a_plan_in_build_order_carries_the_number_of_each_cells_segment(
        state: ExplorerState) -> None:
    plan = shown_plan(state, "mine", np.array([7, 3, 4]), lambda: None, (1, 1, 2))
    assert plan_data(plan)["build_order"] == [1, 1, 2]
    assert plan_data(plan._replace(build_order=()))["build_order"] == []
