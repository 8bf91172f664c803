"""Downloads from LANDFIRE's product service, against one of our own on the loopback."""

import contextlib
import io
import json
import socket
import struct
import threading
import tracemalloc
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import rasterio

from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.landscape.formats import landfire as lfps
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.synthetic.generate import generate

Out = pytest.CaptureFixture[str]
BOX = ("--bbox", "-114.3", "46.6", "-114.2", "46.7")
WAIT = ("--poll-s", "0", "--email", "a.planner@example.org")
NAMES = [f"{name}_CONUS" for name in lfps.product_layers()]

pytestmark = pytest.mark.filterwarnings("ignore:.*disagree")


@pytest.fixture(scope="module")
def raster(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the service makes: bands in the order asked for, described by their products."""
    path = tmp_path_factory.mktemp("made") / "jabc123.tif"
    land = replace(generate(3, 16, cell_size_m=30.0),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, -1_400_000.0, 0.0, -30.0, 2_700_000.0))
    write_landscape(path, land)
    with rasterio.open(path, "r+") as dataset:
        for index, name in enumerate(NAMES, start=1):
            dataset.set_band_description(index, name)
    return path.read_bytes()


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


class Service:
    """A service that answers as the real one does; fields set what it does wrong."""

    def __init__(self, archive: bytes) -> None:
        self.archive = archive
        self.submitted: list[dict[str, str]] = []
        self.states = ["Pending", "Executing", "Executing", "Succeeded"]
        self.looks = 0
        self.submit_answer: tuple[int, Any] = (200, {"jobId": "jabc123"})
        self.status_error: tuple[int, Any] | None = None
        self.redirect: str | None = None
        self.archive_url: str | None = None
        self.cut = 0
        self.hosts: set[str] = set()
        self.url = ""

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if path == "/api/job/submit":
            self.submitted.append(query)
            return self._json(*self.submit_answer)
        if path == "/api/job/status":
            if self.status_error is not None or query.get("JobId") != "jabc123":
                return self._json(*(self.status_error or (500, {"message": "JobId not found.",
                                                                "success": False})))
            state = self.states[min(self.looks, len(self.states) - 1)]
            self.looks += 1
            made = {"jobId": "jabc123", "status": state,
                    "queuePosition": 3 if state == "Pending" else -1,
                    "messages": [{"type": "informational", "description": "Begin job."},
                                 {"type": "error", "description": "No  data\nin the area."}]}
            if state == "Succeeded":
                made["outputFile"] = self.archive_url or f"{self.url}/output/jabc123.zip"
            return self._json(200, made)
        if path == "/output/jabc123.zip" and self.redirect:
            return 302, {"Location": self.redirect}, b""
        if path in ("/output/jabc123.zip", "/moved.zip"):
            return 200, {"Content-Length": str(len(self.archive))}, self.archive[
                :len(self.archive) - self.cut]
        return self._json(404, {"message": "nothing here"})

    @staticmethod
    def _json(code: int, content: Any) -> tuple[int, dict[str, str], bytes]:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return code, {"Content-Length": str(len(body))}, body


@pytest.fixture
def service(raster: bytes) -> Iterator[Service]:
    made = Service(zipped({"jabc123.tif": raster, "jabc123.tfw": b"30", "readme.xml": b"<x/>"}))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            made.hosts.add(self.client_address[0])
            code, headers, body = made.answer(
                parts.path, {name: value[0] for name, value in parse_qs(parts.query).items()})
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(service: Service, folder: Path, *options: str) -> int:
    return main(["landscape", "fetch", str(folder / "land.tif"), "--service",
                 f"{service.url}/api", *BOX, *WAIT, *options])


def refused(service: Service, folder: Path, capsys: Out, *options: str) -> str:
    """What is said; nothing may be left behind."""
    assert fetch(service, folder, *options) == 2
    assert list(folder.iterdir()) == []
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_a_landscape_is_fetched(service: Service, tmp_path: Path, capsys: Out) -> None:
    assert fetch(service, tmp_path, "--projection", "5070", "--json") == 0
    shown = capsys.readouterr()
    assert service.submitted == [{
        "Email": "a.planner@example.org", "Area_of_Interest": "-114.3 46.6 -114.2 46.7",
        "Layer_List": ";".join(lfps.product_layers()), "Output_Projection": "5070"}]
    assert [path.name for path in tmp_path.iterdir()] == ["land.tif"]
    land = read_landscape(tmp_path / "land.tif")
    assert np.array_equal(land.fuel_model, generate(3, 16, cell_size_m=30.0).fuel_model)
    done = json.loads(shown.out.strip().splitlines()[-1])
    assert (done["job"], done["rows"], done["checksum"]) == ("jabc123", 16, land.checksum())
    assert "pending, 3 ahead" in shown.err
    assert service.hosts == {"127.0.0.1"}


def test_the_service_may_be_named_by_the_environment(service: Service, tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIREBREAK_LANDFIRE_SERVICE", f"{service.url}/api/")
    assert main(["landscape", "fetch", str(tmp_path / "land.tif"), *BOX, *WAIT, "--version",
                 "2023"]) == 0
    assert "LF2023_FBFM40" in service.submitted[0]["Layer_List"]


def test_a_move_within_the_web_is_followed(service: Service, tmp_path: Path) -> None:
    service.redirect = f"{service.url}/moved.zip"
    assert fetch(service, tmp_path) == 0


@pytest.mark.parametrize(("redirect", "message"), [
    ("file:///etc/passwd", "got 302"),
    ("ftp://127.0.0.1/x.zip", "expected an answer at this address"),
    ("https://127.0.0.1/x.zip", "expected an answer at this address")])
def test_a_move_elsewhere_is_not(service: Service, tmp_path: Path, capsys: Out,
                                 redirect: str, message: str) -> None:
    service.redirect = redirect
    assert message in refused(service, tmp_path, capsys)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x.zip",
                                 "http://[127.0.0.1/x.zip"])
def test_an_archive_elsewhere_is_not_taken(service: Service, tmp_path: Path, capsys: Out,
                                           url: str) -> None:
    service.archive_url = url
    assert "expected an address that starts with http" in refused(service, tmp_path, capsys)


@pytest.mark.parametrize(("code", "answer", "message"), [
    (400, {"message": "Invalid Layer_List", "success": False}, "400: Invalid Layer_List"),
    (500, {"message": "Internal error", "success": False}, "500: Internal error"),
    (503, b"<html>down</html>", "503: <html>down</html>"),
    (200, {"message": "Email is required", "success": False}, "got Email is required"),
    (200, b"hello", "an answer in JSON, got something else"),
    (200, [1], "an answer in JSON, got something else"),
    (200, {"jobId": 7}, "expected a job from the service"),
    (200, b"[" * 100_000 + b"]" * 100_000, "an answer in JSON, got something else"),
])
def test_what_the_service_says_against_a_job_is_passed_on(
        service: Service, tmp_path: Path, capsys: Out, code: int, answer: Any,
        message: str) -> None:
    service.submit_answer = (code, answer)
    assert message in refused(service, tmp_path, capsys)


@pytest.mark.parametrize("state", ["Failed", "Canceled", "TimedOut"])
def test_a_job_that_fails_says_why(service: Service, tmp_path: Path, capsys: Out,
                                   state: str) -> None:
    service.states = ["Executing", state]
    assert f"'{state.lower()}': Begin job.; No data in the area." in refused(service, tmp_path,
                                                                           capsys)


@pytest.mark.parametrize(("error", "message"), [
    ((500, {"message": "JobId not found.", "success": False}), "500: JobId not found."),
    ((200, {"status": None}), "expected the status of a job"),
])
def test_a_job_that_is_lost_ends_the_wait(service: Service, tmp_path: Path, capsys: Out,
                                          error: tuple[int, Any], message: str) -> None:
    service.status_error = error
    assert message in refused(service, tmp_path, capsys)


@pytest.mark.parametrize("state", ["Executing", "SomethingNew"])
def test_a_job_without_end_is_given_up(service: Service, tmp_path: Path, capsys: Out,
                                       state: str) -> None:
    service.states = [state]
    said = refused(service, tmp_path, capsys, "--timeout-min", "0.2", "--poll-s", "60")
    assert f"an answer within 0.2 minutes, got '{state.lower()}'" in said


def test_an_archive_that_breaks_off_is_not_kept(service: Service, tmp_path: Path,
                                                capsys: Out) -> None:
    service.cut = 1000
    assert "expected the whole archive" in refused(service, tmp_path, capsys)


def test_damaged_archives_are_refused(service: Service, tmp_path: Path, capsys: Out,
                                      raster: bytes) -> None:
    whole = service.archive
    cases = {"no archive": (b"hello", "a whole archive"),
             "cut": (whole[:-400], "a whole archive"),
             "flipped": (whole[:300] + bytes([whole[300] ^ 255]) + whole[301:], "expected"),
             "no raster": (zipped({"a.xml": b"<x/>"}), "one GeoTIFF in the archive, got 0 among 1"),
             "two": (zipped({"a.tif": raster, "b.tif": raster}), "got 2 among 2"),
             "not a raster": (zipped({"a.tif": b"hello"}), "a raster that GDAL can read")}
    for archive, message in cases.values():
        service.archive, service.looks = archive, 0
        assert message in refused(service, tmp_path, capsys)


def test_a_raster_of_other_bands_is_refused(service: Service, tmp_path: Path,
                                            capsys: Out) -> None:
    said = refused(service, tmp_path, capsys, "--layers", "LF2020_ELEV,LF2022_FBFM40")
    assert "expected 2 bands, as requested, got 8" in said


def test_names_in_an_archive_lead_nowhere(service: Service, tmp_path: Path,
                                          raster: bytes) -> None:
    service.archive = zipped({"../../../evil.tif": raster, "/etc/evil.xml": b""})
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    assert fetch(service, inside) == 0
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["land.tif"]


def test_an_archive_that_never_ends_is_given_up(service: Service, tmp_path: Path, capsys: Out,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    service.archive = zipped({"a.tif": bytes(200_000)})  # small, but large inside
    monkeypatch.setattr(lfps, "MOST_BYTES", 50_000)
    assert "at most 50,000 bytes, got more" in refused(service, tmp_path, capsys)


def with_countless_members(archive: bytes, listed: int) -> bytes:
    """The archive with a list of its files that is so many bytes long."""
    end = archive.rindex(b"PK\5\6")
    size, begin = struct.unpack("<II", archive[end + 12:end + 20])
    entry = archive[begin:begin + size]
    return (archive[:begin] + entry * (listed // size) + archive[end:end + 12]
            + struct.pack("<II", listed // size * size, begin) + archive[end + 20:])


@pytest.mark.slow
def test_absurd_archives_are_refused_before_they_take_memory(
        service: Service, tmp_path: Path, capsys: Out) -> None:
    bombs = {}
    for name, method in (("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr("a.tif", bytes(120_000_000))
        bombs[name] = (buffer.getvalue(), f"packing method {method}")
    whole = zipped({"a.tif": b""})
    bombs["members"] = (with_countless_members(whole, 30_000_000), "a list of files of")
    place = whole.rindex(b"PK\1\2") + 24  # of the size that the list of files states
    bombs["size"] = (whole[:place] + struct.pack("<I", 2**32 - 2) + whole[place + 4:], "expected")
    for name, (service.archive, said) in bombs.items():
        service.looks = 0
        tracemalloc.start()
        assert said in refused(service, tmp_path, capsys), name
        peak = tracemalloc.get_traced_memory()[1] - len(service.archive)
        tracemalloc.stop()
        assert peak < 40_000_000, name


def test_a_raster_that_says_it_is_too_large_is_not_unpacked(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a.tif": bytes(200_000)}))
    monkeypatch.setattr(lfps, "MOST_BYTES", 50_000)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    with pytest.raises(InputError, match="at most 50,000 bytes, got more"):
        lfps.landscape_of_archive(tmp_path / "a.zip", tmp_path / "a.tif", NAMES)


def test_an_older_file_stays_until_the_new_one_is_whole(service: Service, tmp_path: Path) -> None:
    (tmp_path / "land.tif").write_bytes(b"old")
    service.archive = service.archive[:-400]
    assert fetch(service, tmp_path) == 2
    assert (tmp_path / "land.tif").read_bytes() == b"old"


@pytest.mark.parametrize(("area", "message"), [
    ((-114.2, 46.6, -114.3, 46.7), "west below east and south below north"),
    ((-114.3, 46.7, -114.2, 46.6), "west below east and south below north"),
    ((-190.0, 46.6, -114.2, 46.7), "degrees within"),
    ((-114.3, 46.6, -114.2, 96.7), "degrees within"),
    ((float("nan"), 46.6, -114.2, 46.7), "degrees within"),
    ((-125.0, 25.0, -70.0, 49.0), "at most 200,000,000 cells"),
])
def test_areas_that_cannot_be_are_refused(area: lfps.Area, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lfps.check_area(area)


def test_nothing_is_asked_without_an_address_or_a_place(service: Service, tmp_path: Path,
                                                        capsys: Out) -> None:
    base = ["landscape", "fetch", "--service", f"{service.url}/api", *BOX, "--poll-s", "0"]
    assert main([*base, str(tmp_path / "a.tif"), "--email", "nobody"]) == 2
    assert "an e-mail address" in capsys.readouterr().err
    assert main([*base, str(tmp_path / "no" / "a.tif"), "--email", "a@b.c"]) == 2
    assert "no such folder" in capsys.readouterr().err
    assert main(["landscape", "fetch", str(tmp_path / "a.tif"), *BOX, *WAIT, "--service",
                 "file:///etc"]) == 2
    assert "expected a web address" in capsys.readouterr().err
    assert service.submitted == []


def test_a_service_that_is_not_there_is_one_sentence(tmp_path: Path, capsys: Out) -> None:
    assert main(["landscape", "fetch", str(tmp_path / "a.tif"), *BOX, *WAIT, "--service",
                 "http://127.0.0.1:9/api"]) == 2
    assert "expected the service to answer" in capsys.readouterr().err


@pytest.mark.parametrize("messages", [5, True, {"a": 1}, "words", None])
def test_messages_that_are_no_list_are_none(monkeypatch: pytest.MonkeyPatch,
                                            messages: object) -> None:
    answer = {"status": "Failed", "messages": messages}
    monkeypatch.setattr(lfps, "_get_json", lambda *_: answer)
    assert lfps.status("http://service", "a", lambda: 60.0).messages == ()


@pytest.mark.parametrize("answer", [
    b"[" * 100_000, b'{"jobId": ' + b"[" * 900 + b"]" * 900 + b"}", b'{"jobId": "' + b"j" * 5000
    + b'"}', b'{"jobId": "\\ud800"}', b'{"jobId": "a\\u0000"}', b'{"jobId": ' + b"9" * 5000 + b"}",
    b'{"message": ' + b"[" * 60 + b"]" * 60 + b"}", b'{"jobId": 5, "message": {"a": 5}}', b"\xff"])
def test_absurd_answers_are_refused_in_one_sentence(service: Service, tmp_path: Path, capsys: Out,
                                                    answer: bytes) -> None:
    service.submit_answer = 200, answer
    assert len(refused(service, tmp_path, capsys)) < 1000


@pytest.mark.parametrize("status", [
    {"status": "Failed", "messages": 5}, {"status": "Failed", "messages": [[[5]], None, {}]},
    {"status": "x" * 100_000}, {"status": "Executing", "queuePosition": 10**4000},
    {"status": "Succeeded", "outputFile": "http://" + "a" * 100_000}])
def test_absurd_states_of_a_job_are_refused_in_one_sentence(
        service: Service, tmp_path: Path, capsys: Out, status: dict[str, Any]) -> None:
    service.status_error = (200, status)
    assert fetch(service, tmp_path, "--timeout-min", "0.003") == 2
    said = capsys.readouterr().err
    assert len(said) < 2000
    assert "Traceback" not in said


@pytest.mark.parametrize("place", ["head", "body"])
def test_a_server_that_drips_gets_no_more_than_the_time_given(tmp_path: Path, capsys: Out,
                                                              place: str) -> None:
    end = threading.Event()

    def drip(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.recv(10_000)
            if place == "body":
                client.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while not end.wait(0.05):
                client.sendall(b"H")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=lambda: drip(server.accept()[0]))
        thread.start()
        code = main(["landscape", "fetch", str(tmp_path / "a.tif"), *BOX, *WAIT, "--timeout-min",
                     "0.005", "--service", f"http://127.0.0.1:{server.getsockname()[1]}"])
        still_dripping = thread.is_alive()
        end.set()
        thread.join()
    assert (code, still_dripping) == (2, True)  # it had not ended by itself
    assert "expected a whole answer in the time given" in capsys.readouterr().err
