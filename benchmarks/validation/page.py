"""The pages of docs/ that show the cases and their last results: what falls short comes first."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.validation.flammap import write_map
from benchmarks.validation.parts import ROOT, Part
from benchmarks.validation.registry import AREAS, STATUSES, Case, Judged, Record
from benchmarks.validation.tables import short, table
from matplotlib.figure import Figure
from PIL import Image

from firebreak.checks import fail
from firebreak.files import replacing
from firebreak.report.figures.canvas import save_figure

PAGE, CASES_PAGE, RECORDS = "validation.md", "validation-cases.md", "validation.json"
COLOURS = 256  # of a figure
AREA_WORDS = {"scenarios": "model and scenarios", "theory": "theory and equations",
              "numerics": "mathematics and numerics", "accuracy": "accuracy and uncertainty"}


def replaced(page: str, name: str, text: str) -> str:
    """The page with `text` between the markers of a table.

    Raises:
        InputError: the page has no such pair of markers.
    """
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    found = re.search(f"{re.escape(begin)}.*?{re.escape(end)}", page, re.DOTALL)
    if found is None:
        raise fail(expected=f"markers {begin} and {end}", given="none", where=PAGE,
                   remedy="add them where the table belongs")
    return f"{page[:found.start()]}{begin}\n{text}\n{end}{page[found.end():]}"


def number(value: float | None, unit: str = "") -> str:
    """A number with three digits that count, or two below 0.001; a dash for none."""
    if value is None:
        return "-"
    size = abs(value)
    words = f"{size:,.6g}" if size >= 1000 else f"{size:.3g}" if size >= 0.001 else short(size)
    return f"{'-' if value < 0 and words != '0' else ''}{words}{f' {unit}' if unit else ''}"


def tolerance(check: Judged) -> str:
    """The tolerance in words."""
    if check.rule == "relative":
        return f"within {100 * check.limit:g} %"
    if check.rule == "absolute":
        return f"within {number(check.limit, check.unit)}"
    return f"{check.rule} {number(check.limit, check.unit)}"


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def _item(text: str) -> str:
    """An item of a list, wrapped."""
    return _wrapped(f"- {text}", "  ")


def _link(record: Record) -> str:
    return f"[{record.identifier}]({CASES_PAGE}#{record.identifier.lower()})"


def counts_table(cases: Sequence[Case], records: Sequence[Record]) -> str:
    """Cases by area of ASTM E1355 and result."""
    def row(words: str, chosen: list[tuple[Case, Record]]) -> list[str]:
        by_status = [sum(record.status == status for _, record in chosen) for status in STATUSES]
        return [words, *map(str, [len(chosen), *by_status, sum(case.known for case, _ in chosen)])]

    pairs = list(zip(cases, records, strict=True))
    rows = [row(AREA_WORDS[area], [pair for pair in pairs if pair[0].area == area])
            for area in AREAS]
    return table(("area", "cases", *STATUSES, "known before"), [*rows, row("all", pairs)])


def short_table(records: Sequence[Record]) -> str:
    """Every check outside of its tolerance."""
    rows = [(_link(record), check.quantity, number(check.expected, check.unit),
             number(check.found, check.unit), tolerance(check))
            for record in records for check in record.checks if check.passed is False]
    return table(("case", "quantity", "expected", "found", "tolerance"), rows)


def not_evaluable_table(cases: Sequence[Case], records: Sequence[Record]) -> str:
    """Cases that could not be evaluated, and why."""
    return table(("case", "what it compares", "why not"), [
        (_link(record), case.title, record.reason)
        for case, record in zip(cases, records, strict=True) if record.status == "not evaluable"])


def blocks(cases: Sequence[Case], records: Sequence[Record]) -> Mapping[str, str]:
    """The tables of the registry by the name of their markers."""
    return {"counts": counts_table(cases, records), "short": short_table(records),
            "not-evaluable": not_evaluable_table(cases, records)}


def _section(case: Case, record: Record) -> Iterator[str]:
    """Text of one case on the page of cases."""
    title = _wrapped(f"{case.title[:1].upper()}{case.title[1:]}: **{record.status}** "
                     f"({AREA_WORDS[case.area]}{', known before' if case.known else ''}).")
    yield f"### {case.identifier}\n\n{title}"
    about = [f"Source: {case.source}.", f"Inputs: {case.inputs}."]
    if record.reason:
        about.append(f"Not evaluable: {record.reason}.")
    if case.remark and record.status == "fail":
        about.append(case.remark)
    yield "\n".join(map(_item, about))
    yield table(("quantity", "expected", "found", "tolerance", "result"), [
        (check.quantity, number(check.expected, check.unit), number(check.found, check.unit),
         tolerance(check), "-" if check.passed is None else "pass" if check.passed else "fail")
        for check in record.checks])


def cases_page(cases: Sequence[Case], records: Sequence[Record]) -> str:
    """The whole page of cases, failed ones first, then by identifier as in the registry."""
    place = ("fail", "not evaluable", "pass")
    pairs = sorted(zip(cases, records, strict=True), key=lambda pair: place.index(pair[1].status))
    parts = ["# Cases of the validation", (
        "Every case of [the validation](validation.md): where its numbers come from, what is "
        "burned,\nthe tolerance and the last result. Failed cases come first, then those that "
        "could not be\nevaluated. `python -m benchmarks.validation` writes this page.")]
    for status in place:
        chosen = [pair for pair in pairs if pair[1].status == status]
        if chosen:
            parts.append(f"## {status[:1].upper()}{status[1:]} ({len(chosen)})")
            parts += [text for pair in chosen for text in _section(*pair)]
    return "\n\n".join(parts) + "\n"


def available(part: Part, old: Path) -> bool:
    """True if a part can be made; if not, a printed sentence names what stays."""
    if part.needs is None or part.needs.exists():
        return True
    print(f"{part.name}: not made, for there is no {part.needs}; {old} keeps what it has")
    return False


def write_pages(out: Path, parts: Sequence[Part], cases: Sequence[Case],
                records: Sequence[Record]) -> None:
    """Makes the tables that can be made; a page that is not there yet starts as the one here."""
    path = out / PAGE
    page = (path if path.is_file() else ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    for part in parts:
        if available(part, path):
            page = replaced(page, part.name, part.make())
            print(f"{part.name}: table")
    for name, text in blocks(cases, records).items():
        page = replaced(page, name, text)
    for where, text in ((path, page), (out / CASES_PAGE, cases_page(cases, records))):
        with replacing(where) as beside:
            beside.write_text(text, encoding="utf-8")


def write_figure(figure: Figure, path: Path) -> None:
    """Writes a PNG of few colours and closes the figure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.stem == "flammap":
        write_map(figure, path)
        return
    save_figure(figure, path)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def write_figures(out: Path, parts: Sequence[Part]) -> None:
    """Makes the figures that can be made."""
    for part in parts:
        path = out / "figures" / f"{part.name}.png"
        if available(part, path):
            write_figure(part.make(), path)
            print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
