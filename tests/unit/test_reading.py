"""Text from outside takes no more memory and time than its bytes deserve."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firebreak import reading
from firebreak.checks import InputError
from firebreak.cli import BAD_INPUT, main
from firebreak.cli.shared.tables import read_table
from firebreak.landscape.formats.cell2fire import read_fuel_table
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.tables import read_data_table, read_ignitions, read_points
from firebreak.landscape.raster.ascii_grid import read_ascii_grid
from firebreak.landscape.synthetic.generate import generate
from firebreak.reading import number_in, read_toml, whole_number_in
from firebreak.train.config.load import load_config
from firebreak.train.storage.metrics import read_rows
from firebreak.weather.formats.read import read_weather

DOTS = ["a." * 50_000 + "a = 1", "[" + '"b".' * 40_000 + "a]", "x = {" + "'c' . " * 20_000 + "a=1}"]


@pytest.mark.parametrize("text", DOTS)
def test_keys_of_countless_parts_are_refused_before_they_take_memory(text: str,
                                                                     tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    tracemalloc.start()
    for read in (read_toml, lambda path: load_config(str(path))):
        with pytest.raises(InputError, match="a key of more than 64 parts"):
            read(path)
    with pytest.raises(InputError):
        load_config("quick", [f"{text[:90_000]}=1"])
    with pytest.raises(InputError):
        load_config("quick", [f"seed={text[:90_000]}"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize("text", [
    "a = " + "[" * 100_000, "a = " + "{a=" * 400 + "1" + "}" * 400,
    "a = " + "9" * 5000, "a = " + "9" * 400, 'a = "x\\u0000y"', "a = '\0'", "\0"])
def test_absurd_toml_is_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    for read in (read_toml, lambda path: load_config(str(path))):
        with pytest.raises(InputError, match=r"expected a TOML file|expected TOML"):
            read(path)


def test_keys_of_ours_are_read() -> None:
    deep = ".".join(["a-1", '"b c"', "'d.e'"] * 20)
    tree = reading.from_toml(f"{deep} = 1.5\r\n[t]\rtext = '''{'w.' * 40}'''  # {'.' * 200}")
    assert tree["t"] == {"text": "w." * 40}


@pytest.mark.parametrize("text", [
    "[" * 100_000, '{"a":' * 500 + "1" + "}" * 500, "[" * 200 + "]" * 200, "9" * 5000,
    '["a\\u0000"]', "{"])
def test_absurd_json_is_a_value_error(text: str) -> None:
    for form in (text, text.encode()):
        with pytest.raises(ValueError, match=r"."):
            reading.from_json(form)


def test_files_far_larger_than_their_kind_are_not_read(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole
    for read in (read_toml, lambda path: load_config(str(path)), reading.record_of, read_table,
                 read_weather, lambda path: read_ignitions(path, 100)):
        with pytest.raises(InputError, match=r"at most [0-9,]+ bytes, got 1,099,511,627,776"):
            read(path)
    lines = tmp_path / "a.csv"
    lines.write_text("a,b\n" + "\n" * 2_000_100)
    with pytest.raises(InputError, match="at most 1,000,000 lines"):
        read_table(lines)


def test_a_value_of_thousands_of_lines_ends_the_search_for_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("unknown = [\n" + "1,\n" * 20_000 + "]\n")
    with pytest.raises(InputError, match="expected a key that it has, got 'unknown'"):
        load_config(str(path))


LONG = "x" * 300_000
LAND = generate(3, (12, 12))


@pytest.mark.parametrize(("name", "text", "read"), [
    ("points.csv", f"row,col\n1,{LONG}\n", lambda path: read_points(path, LAND)),
    ("points.csv", f"row,col\n1,{'9' * 5000}\n", lambda path: read_points(path, LAND)),
    ("points.csv", "row,col\n1,\0\n", lambda path: read_points(path, LAND)),
    ("Data.csv", f"elev,{LONG}\n1\n", lambda path: read_data_table(path, 1, ["elev"])),
    ("fbp_lookup_table.csv", f"grid_value,fuel_type\n1,{LONG}\n",
     lambda path: read_fuel_table(path.parent, path)),
    ("Weather.csv", f"Scenario,datetime,{LONG}\nA,1\n", read_weather),
    ("cases.csv", f"a,b\n1,{LONG}\n", read_table),
    ("cells.csv", f"Year,Ncell\n1,{'9' * 5000}\n", lambda path: read_ignitions(path, 9)),
    ("metrics.jsonl", '{"a": "' + "x" * reading.LONGEST_LINE + '"}\n', read_rows),
    ("metrics.jsonl", '{"a": ' + "9" * 5000 + "}\n", read_rows),
])
def test_endless_cells_and_lines_are_refused_in_one_sentence(name: str, text: str, read: Any,
                                                             tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert len(str(caught.value)) < 1000


def test_a_table_of_one_endless_line_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 1000)
    path = tmp_path / "Data.csv"
    path.write_text("elev\n" + "1" * 5000)
    with pytest.raises(InputError, match="line 2: expected lines of fewer than 1,000 letters"):
        read_data_table(path, 1, ["elev"])


def test_an_ascii_grid_may_be_one_line_of_any_length(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).integers(0, 10_000, (700, 600))
    path = tmp_path / "a.asc"
    head = "ncols 600\nnrows 700\nxllcorner 0\nyllcorner 0\ncellsize 30\n"
    path.write_text(head + " ".join(map(str, numbers.ravel().tolist())))
    tracemalloc.start()
    _, band = read_ascii_grid(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(band.values, numbers)
    assert peak < 40 * path.stat().st_size / 2
    path.write_text(head + "1" * 3_000_000)
    with pytest.raises(InputError, match="line 6: expected numbers"):
        read_ascii_grid(path)


@pytest.mark.parametrize("spec", ["synthetic:" + "9" * 5000, "synthetic:1:" + "9" * 5000,
                                  "closed-form:door:" + "9" * 5000,
                                  "synthetic:1:99999999", "closed-form:door:99999999"])
def test_absurd_sizes_of_a_map_that_is_made_are_refused(spec: str) -> None:
    with pytest.raises(InputError):
        read_landscape(spec)


@pytest.mark.parametrize("arguments", [
    ["plan", "synthetic:1:12", "--area", "0:" + "9" * 5000 + ",0:5"], ["landscape", "info", LONG]])
def test_endless_options_are_one_sentence(arguments: list[str], capsys: Any) -> None:
    assert main(arguments) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < 5000


@pytest.mark.parametrize("text", [r'["\ud800"]', r'{"\uDFFF": 1}', r'["\ude00\ud83d"]',
                                  b'["\xed\xa0\x80"]'])
def test_half_of_a_letter_is_a_value_error(text: str | bytes) -> None:
    """It could be neither written nor printed: the error would come there, as a traceback."""
    for form in (text, text.encode()) if isinstance(text, str) else (text,):
        with pytest.raises(ValueError, match=r"."):
            reading.from_json(form)


def test_whole_letters_are_read_however_they_are_written() -> None:
    assert reading.from_json(r'["\ud83d\ude00", "\u00e9"]') == ["\U0001f600", "\xe9"]
    assert reading.from_json('["\xe9"]'.encode("utf-8-sig")) == ["\xe9"]
    assert reading.from_json('["\xe9"]'.encode("utf-16")) == ["\xe9"]


def test_a_record_may_be_as_deep_as_ours_are() -> None:
    tree: Any = 1
    for _ in range(reading.DEEPEST - 1):
        tree = [tree]
    assert reading.from_json(json.dumps(tree)) == tree


NO_NUMBERS = ["1_0", "\uff11\uff10", "\u0661", "1e1_0", "", ".", "e5", "0x1", "1,5", "1 0", "--1"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_only_plain_digits_are_a_number(text: str) -> None:
    for read in (number_in, whole_number_in):
        with pytest.raises(ValueError, match="not a"):
            read(text)


@pytest.mark.parametrize(("text", "number"), [
    (" 10 ", 10), ("+.5e-3", 0.0005), ("1.", 1), ("-1E+2", -100), ("-inf", float("-inf"))])
def test_numbers_of_tables_are_read(text: str, number: float) -> None:
    assert number_in(text) == number
    assert np.isnan(number_in("NaN"))


@pytest.mark.parametrize("number", ["1_0", "\uff11\uff10"])
def test_no_reader_takes_what_is_only_python_for_a_number(
        tmp_path: Path, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    def made(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    land = generate(1, (8, 8))
    rows = f"nrows 1\nncols 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 {number}\n"
    for read in (lambda: read_points(made("p.csv", f"x,y\n5,{number}\n"), land),
                 lambda: read_ignitions(made("i.csv", f"Year,Ncell\n1,{number}\n"), 64),
                 lambda: read_ascii_grid(made("a.asc", rows)),
                 lambda: read_ascii_grid(made("b.asc", rows.replace("size 5", f"size {number}"))),
                 lambda: read_landscape(f"synthetic:{number}:8"),
                 lambda: read_weather(made("w.csv", "Scenario,datetime,WS,WD,FireScenario\n"
                                           f"1,2001-01-01 12:00,{number},90,2\n"))):
        with pytest.raises(InputError):
            read()
    for words in (f"--fires {number}", f"--seed {number}", f"--wind-speed-km-h {number}",
                  f"--losses 0,{number},1,1,1,1"):
        assert main(["simulate", "synthetic:1:8", *words.split(), "--out", str(tmp_path / "o")]
                    ) == BAD_INPUT
    assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
