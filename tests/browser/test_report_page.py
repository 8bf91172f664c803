"""The report of a plan in headless Chromium: wide and small, light and dark, and printed."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from watching import PHONE, WIDE, Watched, axe_source, chromium, faults, shot

from firebreak.cli import main

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]

SHEETS = 4


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("plan")
    assert main(["plan", "sample:santa-ana", "--method", "downstream-value", "--plan-fires", "32",
                 "--test-fires", "60", "--fires-per-ha-year", "1e-4", "--quiet",
                 "--out", str(out)]) == 0
    return out / "report.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_report_fits_wide_and_small_windows_in_light_and_dark(
        browser: Any, report: Path, tmp_path: Path, size: tuple[int, int], scheme: str,
        tmp_path_factory: pytest.TempPathFactory) -> None:
    watched = Watched(browser, *size, scheme=scheme)
    page = watched.page
    page.goto(report.as_uri())
    assert watched.sideways() <= 0
    shot(page, tmp_path, f"report-{size[0]}-{scheme}")
    assert "fires a year on this map" in watched.text("main")
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert watched.sideways() <= 0
    assert faults(page, axe_source(tmp_path_factory.mktemp("axe"))) == []
    assert watched.said == []
    assert watched.requests == [report.as_uri()]
    page.close()


def test_the_files_that_the_report_links_are_there(browser: Any, report: Path) -> None:
    page = Watched(browser).page
    page.goto(report.as_uri())
    links = page.locator("ul.files a").evaluate_all("(all) => all.map((one) => one.href)")
    assert len(links) > 20
    assert all(Path(link.removeprefix("file://")).is_file() for link in links)
    page.close()


@pytest.fixture(scope="module")
def crews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a plan of corridors that crews hold."""
    out = tmp_path_factory.mktemp("crews")
    assert main(["plan", "sample:santa-ana", "--method", "segments", "--break-kind", "shaded",
                 "--hold", "hand", "--budget", "0.01", "--plan-fires", "12", "--test-fires", "60",
                 "--quiet", "--out", str(out)]) == 0
    return out / "report.html"


@pytest.mark.parametrize("which", ["report", "crews"])
def test_the_report_prints_on_four_sheets(browser: Any, which: str,
                                          request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(which)
    page = Watched(browser, scheme="dark").page
    page.goto(report.as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= SHEETS
    page.close()
