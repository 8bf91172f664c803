"""The commands as a user types them: files, JSON lines, and one sentence for every mistake."""

import gc
import json
import os
import re
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import torch
from matplotlib.figure import Figure
from rasterio.transform import from_origin

from firebreak.agent.policy_file import write_sealed
from firebreak.cli import COMMANDS, main
from firebreak.landscape.synthetic.generate import generate
from firebreak.memory.registry import live_counts
from firebreak.native_library import max_threads
from firebreak.planning.methods import CHOOSERS, METHODS
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
from firebreak.train.storage.metrics import JsonLines, read_rows
from pictures import draw_few_pixels
from tiny import TINY

Out = pytest.CaptureFixture[str]


def run_json(capsys: Out, *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    content = json.loads(last)
    assert content["schema"] == 1
    return content


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny finished run, made through the command line; its pictures are small."""
    folder = tmp_path_factory.mktemp("runs") / "a run"
    changes = [part for change in TINY for part in ("--set", change)]
    with pytest.MonkeyPatch.context() as patch:
        draw_few_pixels(patch)
        patch.setattr(gc, "collect", lambda *_: 0)  # what other tests hold takes most of its time
        assert main(["train", "quick", "--out", str(folder), "--quiet", *changes]) == 0
    return folder


def test_help_names_every_command(capsys: Out) -> None:
    assert main([]) == main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert {command: shown.count(f"\n  {command} ") for command in COMMANDS} == dict.fromkeys(
        COMMANDS, 2)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: Out) -> None:
    action = {"landscape": ["info"], "memory": ["check"]}.get(command, [])
    assert main([command, *action, "--help-all"]) == 0
    shown = capsys.readouterr().out
    assert "--json" in shown
    draws = command not in ("landscape", "behavior", "methods")  # some take it, hidden
    assert ("--seed" in shown) == draws


def test_methods_lists_each_method_once_with_what_it_does(capsys: Out) -> None:
    assert main(["methods", "--json"]) == 0
    *text, last = capsys.readouterr().out.splitlines()
    named = [line.split()[0] for line in text if not line.startswith(" ")]
    assert named == [*CHOOSERS, *METHODS] == list(json.loads(last)["methods"])
    assert "".join("".join(text).split()).count("(thedefaultofplan)") == 1


def test_train_leaves_a_complete_run_folder(run: Path) -> None:
    for name in ("config.toml", "metrics.jsonl", "memory.jsonl", "policy.safetensors",
                 "evaluation.json", "figures/learning_curve.png", "figures/memory.png",
                 "figures/plan.png", "figures/fire.gif"):
        assert (run / name).stat().st_size > 0, name
    assert live_counts().get("Figure", 0) == 0
    stored = json.loads((run / "evaluation.json").read_text())
    assert set(stored["synthetic"]["methods"]) == {
        "none", "random", "burn-probability", "downstream-value", "dqn"}
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["kind"] == "end"
    phases = {row["phase"] for row in read_rows(run / "memory.jsonl")}
    assert phases == {"baseline", "collect", "learn", "cleanup", "evaluate", "checkpoint", "end",
                      "figure"}


@pytest.mark.slow
def test_a_run_is_never_overwritten_but_goes_on(run: Path, capsys: Out) -> None:
    before = (run / "metrics.jsonl").read_text()
    assert main(["train", "quick", "--out", str(run), "--quiet"]) == 2
    assert "--resume" in capsys.readouterr().err
    assert (run / "metrics.jsonl").read_text() == before
    done = run_json(capsys, "train", "--resume", str(run), "--quiet", "--set", "train.episodes=20")
    assert done["episodes"] >= 20
    *kept, end = before.splitlines()  # the row that a run ends with is gone: it has not ended
    assert '"kind": "end"' in end
    assert (run / "metrics.jsonl").read_text().splitlines()[:len(kept)] == kept


@pytest.mark.slow
def test_a_refused_resume_leaves_the_run_as_it_was(run: Path, capsys: Out) -> None:
    before = (run / "config.toml").read_text()
    for change in ("train.num_envs=2", "agent.width=16"):
        assert main(["train", "--resume", str(run), "--quiet", "--set", change]) == 2
        assert "settings the run was started with" in capsys.readouterr().err
        assert (run / "config.toml").read_text() == before


def test_a_line_cut_off_by_a_kill_does_not_spoil_the_next_run(run: Path) -> None:
    metrics = run / "metrics.jsonl"
    with metrics.open("a") as file:
        file.write('{"kind": "progress", "episo')
    JsonLines(metrics).close()
    assert all(row["kind"] for row in read_rows(metrics))
    assert metrics.read_text().endswith("}\n")


def terminate_once_written(path: Path) -> None:
    """Sends this process SIGTERM when `path` has content: from then on the run listens."""
    for _ in range(600):
        if path.exists() and path.stat().st_size > 0:
            os.kill(os.getpid(), signal.SIGTERM)
            return
        time.sleep(0.1)


@pytest.mark.slow
def test_sigterm_saves_and_says_how_to_go_on(tmp_path: Path, capsys: Out) -> None:
    folder = tmp_path / "stopped run"
    changes = [part for change in [*TINY, "train.episodes=100000"] for part in ("--set", change)]
    killer = threading.Thread(target=terminate_once_written, args=(folder / "metrics.jsonl",))
    killer.start()
    assert main(["train", "quick", "--out", str(folder), "--quiet", *changes]) == 143
    killer.join()
    assert checkpoints_of(folder / CHECKPOINTS)
    assert f"--resume '{folder}'" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
def test_visualize_draws_another_landscape(run: Path, capsys: Out) -> None:
    done = run_json(capsys, "visualize", str(run), "--landscape", "1")
    assert all(Path(path).is_file() for path in done["files"])


@pytest.mark.usefixtures("small_pictures")
def test_plan_with_a_trained_policy(run: Path, tmp_path: Path, capsys: Out) -> None:
    out = tmp_path / "my plan"
    done = run_json(capsys, "plan", "synthetic:5:16", "--budget", "0.04", "--policy", str(run),
                    "--method", "dqn", "--plan-fires", "32", "--test-fires", "64", "--out",
                    str(out))
    assert done["method"] == "dqn"
    assert 0 < done["n_cells"] == done["cost"] <= 0.04 * 16 * 16
    assert done["cost_unit"] == "cells"
    assert {Path(path).suffix for path in done["files"]} >= {".csv", ".tif", ".png"}
    again = run_json(capsys, "evaluate", "synthetic:5:16", "--budget", "0.04", "--plan", str(out),
                     "--methods", "none,random", "--plan-fires", "32", "--test-fires", "64")
    assert len(again["methods"]) == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*coordinate reference system")
@pytest.mark.usefixtures("small_pictures")
def test_plan_inside_an_area_of_a_geotiff(tmp_path: Path, capsys: Out) -> None:
    source = tmp_path / "land.tif"
    run_json(capsys, "landscape", "generate", str(source), "--seed", "3", "--size", "60")
    done = run_json(capsys, "plan", str(source), "--area", "20:40,24:44", "--budget", "0.03",
                    "--plan-fires", "32", "--test-fires", "0", "--out", str(tmp_path / "p"))
    assert {"landscape.png", "plan.png"} <= {Path(path).name for path in done["files"]}
    raster = next(Path(p) for p in done["files"] if p.endswith("plan.tif"))
    with rasterio.open(raster) as plan, rasterio.open(source) as land:
        ranks = plan.read(1)
        assert plan.transform == land.transform
        assert plan.shape == land.shape
    rows, cols = np.nonzero(ranks > 0)
    assert rows.size == done["n_cells"] > 0
    assert rows.min() >= 20
    assert rows.max() < 40
    assert cols.min() >= 24
    assert cols.max() < 44


def test_evaluate_over_landscapes_and_over_fires(capsys: Out) -> None:
    options = ("--methods", "none,random,downstream-value", "--plan-fires", "32", "--test-fires",
               "64")
    several = run_json(capsys, "evaluate", "synthetic:1:14", "synthetic:2:14", *options)
    assert several["interval"] == "landscapes"
    assert len(several["rows"]) == 6
    assert main(["evaluate", "synthetic:1:30", "--window", "14", "--windows", "1", *options,
                 "--json"]) == 0
    *_, following, last = capsys.readouterr().out.strip().splitlines()
    one = json.loads(last)
    area = one["rows"][0]["landscape"].split("[")[1].rstrip("]")
    assert following == (f"next: firebreak plan synthetic:1:30 --area {area} --method "
                         "downstream-value --budget 0.05 --out my_plan")
    assert one["interval"] == "weathers"
    assert one["methods"]["none"]["reduction"] == 0.0
    assert one["methods"]["downstream-value"]["reduction"] > 0.0


@pytest.mark.usefixtures("small_pictures")
def test_simulate_writes_georeferenced_maps(tmp_path: Path, capsys: Out) -> None:
    done = run_json(capsys, "simulate", "synthetic:4:30", "--fires", "80", "--out", str(tmp_path))
    assert 0.03 < done["mean_burned_share"] < 0.4
    names = {Path(path).name for path in done["files"]}
    assert {"burn_probability.tif", "mean_arrival_time_min.tif", "fireline_intensity_kw_m.tif",
            "flame_length_m.tif", "downstream_value.tif"} <= names
    with rasterio.open(tmp_path / "burn_probability.tif") as raster:
        burned = raster.read(1)
    assert burned.min() >= 0.0
    assert 0.0 < burned.max() <= 1.0
    # QGIS takes the style of the same name: one beside each map of one band but directions.
    maps = {path.stem for path in tmp_path.glob("*.tif")}
    styled = {path.stem for path in tmp_path.glob("*.qml")}
    assert maps - styled == {"spread_direction_deg", "flame_length_probability"}
    text = (tmp_path / "burn_probability.qml").read_text(encoding="utf-8")
    lowest, highest = re.findall(r'(?:minimum|maximum)Value="(.+?)"', text)
    assert float(lowest) == 0.0
    assert 0.5 * burned.max() < float(highest) <= burned.max()


@pytest.mark.slow
@pytest.mark.usefixtures("no_simulation_pictures")
def test_an_observed_fire_is_burned_again_and_compared(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "start.csv").write_text("row,col\n16,9\n")
    fire = ["simulate", "synthetic:4:30", "--fires", "1", "--ignitions",
            str(tmp_path / "start.csv"), "--duration-min", "90"]
    run_json(capsys, *fire, "--out", str(tmp_path / "a"))
    burned = tmp_path / "a" / "burn_probability.tif"
    same = run_json(capsys, *fire, "--observed", str(burned), "--out", str(tmp_path / "b"))
    assert same["observed"]["both"] == same["observed"]["observed"] > 10
    assert same["observed"]["iou"] == same["observed"]["area_ratio"] == 1.0
    longer = run_json(capsys, *fire[:-1], "180", "--observed", str(burned),
                      "--out", str(tmp_path / "c"))["observed"]
    assert longer["recall"] == 1.0
    assert longer["precision"] == longer["iou"] == pytest.approx(1.0 / longer["area_ratio"])
    assert longer["iou"] < 0.9
    assert main([*fire, "--fires", "2", "--observed", str(burned), "--out",
                 str(tmp_path / "d")]) == 2
    assert "expected --fires 1 together with --observed" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_maps(tmp_path: Path, capsys: Out) -> None:
    for name, threads in (("a", "1"), ("b", str(max_threads()))):
        run_json(capsys, "simulate", "synthetic:4:24", "--fires", "70", "--threads", threads,
                 "--out", str(tmp_path / name))
    for raster in ("burn_probability.tif", "downstream_value.tif", "mean_arrival_time_min.tif"):
        one, two = (rasterio.open(tmp_path / name / raster) for name in "ab")
        with one, two:
            np.testing.assert_array_equal(one.read(1), two.read(1))


@pytest.mark.slow
def test_landscape_info_counts_fuels_and_draws_them(tmp_path: Path, capsys: Out) -> None:
    done = run_json(capsys, "landscape", "info", "synthetic:9:25", "--out", str(tmp_path / "i"))
    assert done["rows"] == done["columns"] == 25
    assert [Path(path).name for path in done["files"]] == ["landscape.png",
                                                          "landscape_fuels.tif"]
    with rasterio.open(tmp_path / "i" / "landscape_fuels.tif") as raster:
        burnable = np.isin(raster.read(1), [91, 92, 93, 98, 99], invert=True)
    assert burnable.sum() == done["burnable_cells"]


def write_bands(path: Path, bands: np.ndarray, crs: str = "EPSG:32611") -> str:
    count, rows, cols = bands.shape
    with rasterio.open(path, "w", driver="GTiff", width=cols, height=rows, count=count,
                       dtype="int16", crs=crs, nodata=-9999,
                       transform=from_origin(500000, 5000000, 30, 30)) as raster:
        raster.write(bands)
    return str(path)


def eight_bands(fuel: int) -> np.ndarray:
    bands = np.zeros((8, 12, 12), np.int16)
    bands[0] = 1000
    bands[3] = fuel
    return bands


def bad_inputs(folder: Path) -> dict[str, tuple[list[str], str]]:
    """Arguments that must fail, and what the sentence must say."""
    unknown = eight_bands(101)
    unknown[3, :2, :3] = 250
    other_layout = folder / "other.safetensors"
    write_sealed(other_layout, json.dumps(
        {"channels": ["a"], "width": 4, "options": {}, "provenance": {}}), {})
    config = folder / "c.toml"
    config.write_text("[train]\nepisods = 3\n")
    plan = ["plan", "synthetic:1:16", "--out", str(folder / "out")]
    def simulate(path: str) -> list[str]:
        return ["simulate", path, "--out", str(folder / "out")]
    return {
        "missing file": (simulate(str(folder / "nowhere.tif")), "nowhere.tif"),
        "band count": (simulate(write_bands(folder / "b.tif", eight_bands(101)[:3])), "3"),
        "unknown fuel": (simulate(write_bands(folder / "u.tif", unknown)), "250 (6 cells)"),
        "geographic": (simulate(write_bands(folder / "g.tif", eight_bands(101), "EPSG:4326")),
                       "project"),
        "degrees renamed": ([*simulate(str(folder / "g.tif")), "--crs", "EPSG:5070"], "project"),
        **({} if torch.cuda.is_available() else {
            "no CUDA": (["train", "quick", "--out", str(folder / "out"), "--set",
                         "train.device=cuda"], "CUDA")}),
        "seed below 0": ([*plan, "--seed", "-1"], "at least 0, got -1"),
        "infinite rate": (["train", "quick", "--out", str(folder / "out"), "--set",
                           "agent.learning_rate=inf"], "got inf"),
        "no maps": (["train", "landfire", "--data", str(folder), "--out", str(folder / "out")],
                    "--data"),
        "no window": (["evaluate", "synthetic:1:16", "--window", "-3"], "at least 2"),
        "no data": (simulate(write_bands(folder / "n.tif", np.full((8, 9, 9), -9999, np.int16))),
                    "n.tif"),
        "nothing to treat": (["plan", write_bands(folder / "z.tif", eight_bands(98)), "--out",
                              str(folder / "out")], "burn"),
        "budget 0": ([*plan, "--budget", "0"], "above 0"),
        "budget above 1": ([*plan, "--budget", "150%"], "at most 1"),
        "budget buys nothing": ([*plan, "--budget", "0.001"], "buys"),
        "unknown method": ([*plan, "--method", "downstream-valu"], "did you mean"),
        "another layout": ([*plan, "--policy", str(other_layout)], "layout"),
        "not a policy": ([*plan, "--policy", str(config)], "policy"),
        "bad area": ([*plan, "--area", "0-4"], "R0:R1,C0:C1"),
        "area outside": ([*plan, "--area", "0:99,0:4"], "0:99"),
        "unknown key": (["train", str(config), "--out", str(folder / "out")],
                        "did you mean 'train.episodes'"),
        "replay over budget": (["train", "quick", "--out", str(folder / "out"), "--set",
                                "replay.memory_budget_mb=1"], "replay"),
        "unknown method to compare": (["train", "quick", "--out", str(folder / "out"), "--set",
                                       'evaluation.methods=["dq"]'], "evaluation.methods"),
        "unknown preset": (["train", "quik", "--out", str(folder / "out")], "quick"),
        "unknown command": (["trian"], "did you mean 'train'"),
        "no run": (["visualize", str(folder)], "config.toml"),
        "too many threads": ([*plan, "--threads", "4096"], "threads"),
        "no fires": (["simulate", "synthetic:1:16", "--fires", "0"], "at least 1"),
        "bad spec": (["simulate", "synthetic:x"], "synthetic"),
    }


@pytest.mark.filterwarnings("ignore")
def test_bad_input_is_one_sentence_exit_2_and_nothing_written(tmp_path: Path, capsys: Out) -> None:
    for name, (arguments, words) in bad_inputs(tmp_path).items():
        capsys.readouterr()
        assert main(arguments) == 2, name
        shown = capsys.readouterr()
        errors = [line for line in shown.err.splitlines() if "warning:" not in line]
        assert len(errors) == 1, (name, errors)
        assert errors[0].startswith("firebreak: "), name
        assert words in errors[0], (name, errors[0])
        assert "Traceback" not in shown.err
        assert not (tmp_path / "out").exists(), name


@pytest.mark.slow
def test_bench_prints_ratios(capsys: Out) -> None:
    found = run_json(capsys, "bench", "--quick")
    assert set(found["fires_per_second"]) == {"front"}
    assert set(found["ratio_to_scipy"]["front"]) == {"20", "40", "100"}
    assert 1.05 > found["ellipse_area_ratio"]["front"]["2"] > 0.95
    assert set(found["env_steps_per_second_by_envs"]) == {"1", "8"}
    numbers = ["reburn_speedup", "env_steps_per_second", "learner_updates_per_second",
               "bytes_per_fire"]
    assert all(found[name] > 0 for name in numbers)
    assert found["build_in_fires"]["front"].keys() == found["ratio_to_scipy"]["front"].keys()
    assert any("1000" in words for words in found["skipped"])


def test_no_levels_for_runs_that_validate_on_a_mixture(
        run: Path, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def figure(runs: object, baselines: dict[str, float], *, caption: str) -> Figure:
        seen.append((bool(baselines), "lines:" in caption))
        return Figure()

    monkeypatch.setattr("firebreak.report.figures.curves.runs_figure", figure)
    for name, more in (("fixed", ""), ("mixed", "budget = [0.01, 0.1]\n")):
        both = [tmp_path / name / seed for seed in ("0", "1")]
        for folder in both:
            folder.mkdir(parents=True)
            for file in ("metrics.jsonl", "evaluation.json"):
                shutil.copy(run / file, folder / file)
            (folder / "config.toml").write_text((run / "config.toml").read_text().replace(
                "[mixture]\n", f"[mixture]\n{more}"))
        run_json(capsys, "visualize", *map(str, both), "--out", str(tmp_path / "curves"))
    assert seen == [(True, True), (False, False)]


@pytest.mark.slow
def test_runs_of_several_seeds_are_drawn_together(run: Path, tmp_path: Path,
                                                  capsys: Out) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("metrics.jsonl", "evaluation.json"):
        shutil.copy(run / name, other / name)
    config = (run / "config.toml").read_text()
    (other / "config.toml").write_text(config.replace("seed = 0\n", "seed = 1\n", 1))
    done = run_json(capsys, "visualize", str(run), str(other), "--out", str(tmp_path / "curves"))
    assert done["files"] == [str(tmp_path / "curves" / "learning_curves.png")]
    assert Path(done["files"][0]).stat().st_size > 20_000
    (other / "config.toml").write_text(config.replace("seed = 0\n", "seed = 1\nbudget = 0.07\n")
                                       .replace("budget = 0.05\n", ""))
    with pytest.raises(UserWarning, match="differ in more than the seed: budget"):
        main(["visualize", str(run), str(other), "--out", str(tmp_path / "curves")])
    for wrong, words in (([str(run)], "several runs for --out"),
                         ([str(run), str(run)], "each run once"),
                         ([str(run), str(tmp_path)], "expected a run folder with config.toml")):
        assert main(["visualize", *wrong, "--out", str(tmp_path / "curves")]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.slow
def test_the_explorer_of_a_run_is_written_as_one_file(run: Path, tmp_path: Path,
                                                      capsys: Out) -> None:
    path = tmp_path / "new" / "explorer.html"
    done = run_json(capsys, "visualize", str(run), "--export", str(path))
    assert done["files"] == [str(path)]
    text = path.read_text(encoding="utf-8")
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert [plan["name"] for plan in data["plans"]] == ["dqn", "downstream-value", "segments"]
    assert "run a run" in data["caption"]
    assert all(len(data["states"][plan["name"]]) > 1 for plan in data["plans"])


def test_a_plan_outside_the_area_is_named_by_its_file(tmp_path: Path, capsys: Out) -> None:
    paths = [tmp_path / name for name in ("ours.csv", "theirs.csv")]
    row, col = np.argwhere(generate(5, (20, 20)).treatable)[[0, -1]].T
    for path, k in zip(paths, (0, 1), strict=True):
        path.write_text(f"row,col\n{row[k]},{col[k]}\n")
    assert main(["evaluate", "synthetic:5:20", "--area", f"0:{row[1]},0:20", "--methods", "none",
                 "--test-fires", "8", "--plan", *map(str, paths)]) == 2
    assert f"{paths[1]}: expected a plan inside the area" in capsys.readouterr().err


@pytest.mark.slow
def test_the_explorer_shows_a_plan_that_was_made_before(tmp_path: Path, capsys: Out) -> None:
    out = tmp_path / "plan"
    assert main(["plan", "synthetic:5:40", "--area", "4:20,6:24", "--method", "downstream-value",
                 "--plan-fires", "16", "--test-fires", "0", "--out", str(out)]) == 0
    path = tmp_path / "explorer.html"
    explore = ["visualize", "synthetic:5:40", "--plan", str(out), "--plan-fires", "16",
               "--export", str(path)]
    assert main([*explore, "--area", "4:20,6:24"]) == 0
    text = path.read_text(encoding="utf-8")
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    ranks = np.loadtxt(out / "data" / "plan.csv", delimiter=",", skiprows=1, usecols=(1, 2),
                       dtype=int)
    # The area begins at row 4 and column 6; its margin of 16 cells ends at the map's edge.
    assert data["plans"][0]["cells"] == [row * data["cols"] + col for row, col in ranks]
    path.unlink()
    capsys.readouterr()
    assert main([*explore, "--area", "20:40,20:40"]) == 2
    assert "expected a plan inside the area" in capsys.readouterr().err
    assert not path.exists()
    assert main(["visualize", str(out), "--export", str(path)]) == 0
    again = path.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0]
    assert json.loads(again) == data


@pytest.mark.parametrize(("arguments", "words"), [
    (["synthetic:1:8"], "ask for --serve to explore a landscape"),
    (["synthetic:1:8", "--serve", "--port", "99999"], "at least 0 and at most 65535"),
    (["synthetic:1:8", "--export", "."], "expected a file to write"),
    (["synthetic:1:8", "--serve", "--method", "dqm"], "did you mean 'dqn'"),
    (["synthetic:1:8", "--serve", "--plan-fires", "0"], "a whole number of at least 1"),
    (["synthetic:1:8", "--serve", "--budget", "0.001"], "buys the cheapest cell"),
])
def test_a_mistake_in_asking_for_the_explorer_is_one_sentence(arguments: list[str], words: str,
                                                              capsys: Out) -> None:
    assert main(["visualize", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
