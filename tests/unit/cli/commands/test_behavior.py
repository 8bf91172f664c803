"""`firebreak behavior`: tables in, tables out, one sentence for every mistake."""

import csv
import json

import numpy as np
import pytest

from firebreak.cli import main
from firebreak.cli.commands.behavior_cases import FBP_RESULTS, RESULTS
from firebreak.cli.shared.tables import read_table

SURFACE_HEADER = ("name,fuel_model,m1h_pct,m10h_pct,m100h_pct,mherb_pct,mwoody_pct,"
                  "midflame_wind_mph,wind_from_deg,slope_pct,aspect_deg")
SURFACE = f"{SURFACE_HEADER}\n" + """\
"a, quoted",124,6,7,8,60,90,5,0,30,0
,GS4,6,7,8,60,90,5,0,30,0
calm,1,6,7,8,60,90,0,0,0,0
lake,98,6,7,8,60,90,5,0,30,0
"""
FBP = """id;FuelType;LAT;LONG;FFMC;BUI;WS;WD;GS;Aspect;Dj;D0;CBH;PC\r
1;C-1;55;110;90;130;20;0;15;270;182;;NA;\r
2;m-1;47;85;90;40;15.5;180;25;180;182;0;0;55\r
3;NF;47;85;90;40;15.5;180;25;180;182;;;\r
"""


@pytest.fixture
def behavior(tmp_path, capsys):
    """Runs the command on a text: exit code, rows of the output or None, what was printed."""
    def run(text, *options):
        cases, out = tmp_path / "cases.csv", tmp_path / "new folder" / "out.csv"
        if text is not None:
            cases.write_bytes(text if isinstance(text, bytes) else text.encode())
        code = main(["behavior", str(cases), "--out", str(out), *options])
        shown = capsys.readouterr()
        if not out.exists():
            assert not list(tmp_path.rglob("*.tmp"))
            return code, None, shown
        delimiter = ";" if ";" in out.read_text(encoding="utf-8") else ","
        with out.open(newline="", encoding="utf-8") as file:
            return code, list(csv.DictReader(file, delimiter=delimiter)), shown
    return run


def test_surface_fires(behavior):
    code, rows, shown = behavior(SURFACE, "--json", "--seed", "3")
    assert code == 0
    assert [row["name"] for row in rows] == ["a, quoted", "", "calm", "lake"]
    assert list(rows[0]) == [*SURFACE_HEADER.split(","), *RESULTS]
    # BEHAVE's own anchor for GS4: 34.011429 ch/h, 2292.684759 Btu/ft/s, 15.811421 ft.
    for row in rows[:2]:
        assert float(row["rate_of_spread_m_min"]) == pytest.approx(34.011429 * 20.1168 / 60.0)
        assert float(row["fireline_intensity_kw_m"]) == pytest.approx(7936.1, rel=1e-3)
        assert float(row["flame_length_m"]) == pytest.approx(15.811421 * 0.3048)
        assert float(row["spread_direction_deg"]) == 180.0
    assert float(rows[2]["length_to_width"]) == 1.0
    assert float(rows[3]["rate_of_spread_m_min"]) == 0.0
    last = json.loads(shown.out.splitlines()[-1])
    assert last["rows"] == 4
    assert set(last) >= {"schema", "files", "seconds"}
    assert last["files"][0].endswith("out.csv")


def test_fbp_cases(behavior):
    code, rows, shown = behavior(FBP)
    assert code == 0
    assert list(rows[0])[-14:] == [*RESULTS, *FBP_RESULTS]
    assert rows[0]["CBH"] == "NA"
    assert float(rows[0]["rate_of_spread_m_min"]) == pytest.approx(5.556055, rel=1e-6)
    assert float(rows[0]["spread_direction_deg"]) == pytest.approx(174.6964, abs=1e-4)
    assert float(rows[0]["length_to_width"]) == pytest.approx(2.581372, rel=1e-6)
    assert float(rows[1]["crown_fraction_burned"]) == pytest.approx(0.7795241, rel=1e-6)
    assert float(rows[2]["rate_of_spread_m_min"]) == 0.0
    assert "PDF 35" in shown.out
    assert "CFL" not in shown.out


def test_every_reference_row(behavior, reference_dir):
    code, rows, _ = behavior((reference_dir / "ros-reference.csv").read_bytes())
    assert code == 0
    rate = [float(row["rate_of_spread_m_min"]) / float(row["ros_m_min"]) for row in rows]
    np.testing.assert_allclose(rate, 1.0, rtol=1e-5)
    code, rows, _ = behavior((reference_dir / "fbp-reference.csv").read_bytes())
    assert code == 0
    rate = [float(row["rate_of_spread_m_min"]) / float(row["ROS"]) for row in rows]
    np.testing.assert_allclose(rate, 1.0, rtol=1e-6)
    code, rows, _ = behavior((reference_dir / "reference-cffdrs" / "fbp_inputs.csv").read_bytes())
    assert code == 0
    assert len(rows) == 20


def test_names_spaces_blank_lines_and_a_byte_order_mark_do_not_matter(behavior):
    _, plain, _ = behavior(SURFACE)
    text = SURFACE.replace("fuel_model,", " Fuel_Model ,").replace("\n", "\r\n\r\n")
    code, rows, _ = behavior("\ufeff" + text.replace(",6,7,", ", 6 ,7.0,"))
    assert code == 0
    assert "name" in rows[0]
    assert [row["rate_of_spread_m_min"] for row in rows] == [
        row["rate_of_spread_m_min"] for row in plain]


def test_a_column_with_the_name_of_a_result_is_kept_beside_it(behavior):
    code, rows, shown = behavior(SURFACE.replace("name", "flame_length_m"))
    assert code == 0
    assert rows[2]["flame_length_m_given"] == "calm"
    assert float(rows[0]["flame_length_m"]) == pytest.approx(15.811421 * 0.3048)
    assert "flame_length_m_given" in shown.out


def surface_row(**changes):
    cells = next(csv.DictReader([SURFACE_HEADER, "x,1,6,7,8,60,90,5,0,30,0"]))
    good = ",".join(cells.values())
    return f"{SURFACE_HEADER}\n{good}\n{','.join((cells | changes).values())}\n"


def fbp_row(**changes):
    cells = {"FuelType": "C-2", "FFMC": "90", "BUI": "60", "WS": "20", "GS": "0"} | changes
    return f"{';'.join(cells)}\n{';'.join(cells.values())}\n"


@pytest.mark.parametrize(("text", "words"), [
    (surface_row(m1h_pct="0.06"), ["line 3", "'m1h_pct'", "write 6 % as 6"]),
    (surface_row(mherb_pct="0.6"), ["line 3", "'mherb_pct'", "percent"]),
    (surface_row(m10h_pct="nan"), ["line 3", "'m10h_pct'", "nan"]),
    (surface_row(m10h_pct=""), ["line 3", "'m10h_pct'", "a number"]),
    (surface_row(midflame_wind_mph="five"), ["line 3", "'five'", "a number"]),
    (surface_row(midflame_wind_mph="-5"), ["line 3", "-5", "miles per hour"]),
    (surface_row(slope_pct="-10"), ["line 3", "'slope_pct'", "180 degrees of aspect"]),
    (surface_row(aspect_deg="inf"), ["line 3", "'aspect_deg'"]),
    (surface_row(fuel_model="14"), ["line 3", "'14'", "1-13"]),
    (surface_row().replace("mherb_pct", "herb_pct"), ["'mherb_pct'", "is 'herb_pct' meant?"]),
    (surface_row().replace("fuel_model", "fuel"), ["'fuel_model' or 'FuelType'"]),
    (surface_row().replace("name", "FuelType"), ["one kind of fuel"]),
    (surface_row().replace("name", "SLOPE_PCT"), ["one column 'slope_pct'", "2 of them"]),
    (surface_row() + "1,2\n", ["line 4", "11 cells", "got 2"]),
    (SURFACE_HEADER + "\n", ["at least one row"]),
    ("", ["at least one row"]),
    (b"\xff\xfe\x00", ["UTF-8"]),
    (SURFACE_HEADER + '\n"unclosed', ["CSV"]),
    (None, ["a CSV file", "got nothing"]),
    (fbp_row(FuelType="C-9"), ["line 2", "'C-9'", "did you mean"]),
    (fbp_row(GS="-1"), ["line 2", "'GS'"]),
    (fbp_row(FFMC=""), ["line 2", "'FFMC'"]),
    (fbp_row(WS="3,5"), ["line 2", "'3,5'", "decimal point"]),
    (fbp_row(cc="120"), ["line 2", "'cc'", "percent"]),
    (fbp_row().replace("BUI", "BIU"), ["'BUI'", "is 'BIU' meant?"]),
])
def test_bad_tables_are_one_sentence_and_leave_nothing(behavior, text, words):
    code, rows, shown = behavior(text)
    assert code == 2
    assert rows is None
    assert len(shown.err.splitlines()) == 1
    for word in [*words, "cases.csv"]:
        assert word in shown.err


def test_an_output_that_cannot_be_is_refused(tmp_path, capsys):
    cases = tmp_path / "cases.csv"
    cases.write_text(SURFACE)
    for out in (tmp_path, cases, cases / "out.csv"):
        assert main(["behavior", str(cases), "--out", str(out)]) == 2
        assert "--out" in capsys.readouterr().err
    assert cases.read_text() == SURFACE


def test_a_failed_write_leaves_the_old_results(tmp_path, monkeypatch):
    cases, out = tmp_path / "cases.csv", tmp_path / "out.csv"
    cases.write_text(SURFACE)
    out.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device", str(out))

    monkeypatch.setattr("firebreak.files.os.replace", full)
    assert main(["behavior", str(cases), "--out", str(out)]) == 3
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.csv", "out.csv"]


def test_rows_remember_their_lines(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("a\tb\n\n1\t2\n\n3\t4\n")
    table = read_table(path)
    assert (table.delimiter, table.lines) == ("\t", [3, 5])
    assert table.where(1, "b").endswith("line 5, column 'b'")
