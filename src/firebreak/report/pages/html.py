"""Pages of one file: text, tables and pictures in HTML that loads nothing from a network.

Everything that is not markup made here is escaped. Pages read on a phone and printed; pictures have
a text of their own for those who cannot see them.
"""

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from firebreak.files import write_text

_TYPES = {".png": "image/png", ".gif": "image/gif", ".webp": "image/webp"}
_STYLE = """
:root{color-scheme:light dark;--ink:#222;--paper:#fff;--quiet:#505050;--rule:#d5d5d5;
--strong:#888;--link:#1a5a96;--mark:#1f6fb4;--ours:#eaf2fa;--code:#f4f4f4;--warn:#fdf3ea;
--warned:#d95f02}
@media screen and (prefers-color-scheme:dark){
:root{--ink:#e3e5e7;--paper:#15181b;--quiet:#aab1b7;--rule:#3a4147;--strong:#78828b;--link:#8cc4ff;
--mark:#4f9ddb;--ours:#1c3246;--code:#1f2429;--warn:#33271b;--warned:#e8853a}
img.chart,i.swatch{filter:invert(.92) hue-rotate(180deg)}
img.map{filter:brightness(.9);border-radius:4px}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:66rem;padding:1.2rem 1rem 4rem;background:var(--paper);
color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:.4rem 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.2rem 0 .5rem;border-bottom:2px solid var(--rule);
padding-bottom:.2rem}
h3{font-size:1.02rem;margin:1.4rem 0 .3rem}
.lead{color:var(--quiet);margin:.1rem 0 1rem;overflow-wrap:anywhere}
nav{font-size:.92rem;margin:1rem 0}nav a{margin-right:1rem;white-space:nowrap}
a{color:var(--link)}
.key{display:grid;grid-template-columns:repeat(auto-fit,minmax(11.5rem,1fr));gap:.7rem;
margin:1rem 0}
.key div{border:1px solid var(--rule);border-left:5px solid var(--mark);padding:.5rem .8rem}
.key b{display:block;font-size:1.5rem;line-height:1.25}
.key span{display:block;font-size:.88rem;color:var(--quiet)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr));
gap:0 1.2rem}
figure{margin:1.1rem 0;break-inside:avoid}
figure img{max-width:100%;height:auto;display:block}
figcaption{font-size:.9rem;color:var(--quiet);margin-top:.3rem}
.wide{overflow-x:auto}
.wide:focus-visible,summary:focus-visible,a:focus-visible{outline:3px solid var(--mark);
outline-offset:1px}
table{border-collapse:collapse;font-size:.92rem;margin:.6rem 0;font-variant-numeric:tabular-nums}
caption{text-align:left;font-size:.9rem;color:var(--quiet);padding-bottom:.3rem}
caption span{display:block;position:sticky;left:0;max-width:calc(100vw - 1.6rem)}
th,td{padding:.28rem .65rem;border-bottom:1px solid var(--rule);text-align:right;
white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th,thead td{border-bottom:2px solid var(--strong);vertical-align:bottom;white-space:normal}
tr.ours{background:var(--ours);font-weight:600}
i.swatch{display:inline-block;width:.75em;height:.75em;margin-right:.45em;border-radius:2px;
print-color-adjust:exact;-webkit-print-color-adjust:exact}
pre{background:var(--code);border:1px solid var(--rule);padding:.7rem;overflow-x:auto;
font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{overflow-wrap:anywhere}
ul{padding-left:1.3rem}li{margin:.25rem 0}
ul.files{columns:16rem;font-size:.92rem}
details{margin:1rem 0}summary{cursor:pointer;font-weight:600}
.warn{border-left:5px solid var(--warned);background:var(--warn);padding:.5rem .9rem;margin:1rem 0}
.warn ul{margin:0;padding-left:1.1rem}.warn p{margin:.1rem 0}.warn pre{margin:.3rem 0 .6rem}
footer{margin-top:3rem;font-size:.88rem;color:var(--quiet);border-top:1px solid var(--rule);
padding-top:.6rem}
.paper{display:none}
@media (max-width:40rem){body{font-size:15px;padding:.8rem .7rem 3rem}h1{font-size:1.4rem}}
@media print{body{max-width:none;font-size:8.6pt;line-height:1.36;padding:0}
nav,details,.screen,tr.more,figure.moving{display:none}
.paper{display:block}
h1{font-size:14pt;margin:0 0 .1rem}h2{font-size:10.5pt;margin:.65rem 0 .2rem;break-after:avoid}
h3{font-size:9pt;margin:.4rem 0 .1rem;break-after:avoid}
p,ul{margin:.18rem 0}li{margin:.05rem 0}.lead{margin:0 0 .3rem}
.key{grid-template-columns:repeat(3,1fr);gap:.25rem;margin:.3rem 0}
.key div{padding:.12rem .45rem;break-inside:avoid}.key b{font-size:11.5pt}
.key span,figcaption,caption,table{font-size:7.6pt}
.warn{padding:.2rem .6rem;margin:.35rem 0}pre{font-size:7.4pt;padding:.3rem}
table{margin:.2rem 0}th,td{padding:.06rem .4rem}tr{break-inside:avoid}

.pair{grid-template-columns:1fr 1fr}
figure{margin:.3rem 0}figure img{max-height:6.6cm;width:auto}
figure img.chart{max-width:13.8cm;max-height:10.6cm}
figure.main img{max-height:13.6cm}.pair figure img{max-height:7cm}
.wide{overflow:visible}caption{break-inside:avoid;break-after:avoid}caption span{max-width:none}
a{color:inherit}
footer{margin-top:.4rem;font-size:7.6pt}}
@page{size:A4;margin:1.1cm}
"""


class Section(NamedTuple):
    """A heading, its name in links, and the markup below it."""

    title: str
    anchor: str
    body: str


def page(title: str, lead: str, head: str, sections: Sequence[Section], foot: str) -> str:
    """A whole page. title, lead and foot are plain text, `head` is markup before the sections."""
    links = " ".join(f'<a href="#{one.anchor}">{text(one.title)}</a>' for one in sections)
    body = "\n".join(f'<section id="{one.anchor}"><h2>{text(one.title)}</h2>\n{one.body}</section>'
                     for one in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
style-src 'unsafe-inline'">
<title>{text(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>{text(title)}</h1>
<p class="lead">{text(lead)}</p>
</header>
<nav aria-label="Contents">{links}</nav>
<main>
{head}
{body}
</main>
<footer>{text(foot)}</footer>
</body>
</html>
"""


def text(words: object) -> str:
    """Words as HTML."""
    return html.escape(str(words))


def paragraph(words: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{text(words)}</p>\n"


def listing(items: Iterable[str]) -> str:
    """A list of plain texts."""
    return "<ul>" + "".join(f"<li>{text(item)}</li>" for item in items) + "</ul>\n"


def files(names: Iterable[str]) -> str:
    """A list of links to files beside the page."""
    return '<ul class="files">' + "".join(
        f'<li><a href="{text(quote(name))}">{text(name)}</a></li>' for name in names) + "</ul>\n"


def details(title: str, body: str) -> str:
    """Markup that is folded away, and not printed."""
    return f"<details><summary>{text(title)}</summary>\n{body}</details>\n"


def on_screen(body: str) -> str:
    """Markup that is not printed."""
    return f'<div class="screen">{body}</div>\n'


def on_paper(words: str) -> str:
    """A paragraph of plain text that is only printed."""
    return f'<p class="paper">{text(words)}</p>\n'


def pair(*bodies: str) -> str:
    """Markup side by side where there is room."""
    return f'<div class="pair">{"".join(f"<div>{body}</div>" for body in bodies)}</div>\n'


def warning(body: str) -> str:
    """Markup that stands out."""
    return f'<div class="warn">{body}</div>\n'


def preformatted(words: str) -> str:
    """A command or a file as it is."""
    return f"<pre>{text(words)}</pre>\n"


def key_numbers(pairs: Sequence[tuple[str, str]]) -> str:
    """Large numbers, each with what it says."""
    boxes = "".join(f"<div><b>{text(number)}</b><span>{text(words)}</span></div>"
                    for number, words in pairs)
    return f'<div class="key">{boxes}</div>\n'


def table(header: Sequence[str], rows: Sequence[Sequence[object]], caption: str,
          marked: int | None = None, *, colours: Sequence[str] = (),
          printed: int | None = None) -> str:
    """A table; the row `marked` stands out. Cells are plain text.

    Args:
        colours: of each row, shown before its name; empty for none.
        printed: rows that are printed, the first ones; None for all.
    """
    head = "".join(f'<th scope="col">{text(name)}</th>' if name else "<td></td>"
                   for name in header)
    lines = []
    for place, row in enumerate(rows):
        first, *rest = row
        swatch = f'<i class="swatch" style="background:{colours[place]}"></i>' if colours else ""
        cells = f'<th scope="row">{swatch}{text(first)}</th>' + "".join(
            f"<td>{text(cell)}</td>" for cell in rest)
        kinds = [*(["ours"] if place == marked else []),
                 *(["more"] if printed is not None and place >= printed else [])]
        lines.append(f'<tr class="{" ".join(kinds)}">{cells}</tr>' if kinds
                     else f"<tr>{cells}</tr>")
    return ('<div class="wide" tabindex="0" role="group" aria-label="table">'
            f"<table><caption><span>{text(caption)}</span></caption><thead><tr>{head}</tr>"
            f"</thead><tbody>{''.join(lines)}</tbody></table></div>\n")


def figure(path: Path, alt: str, caption: str, *, chart: bool = False, main: bool = False) -> str:
    """A picture, carried within the page.

    Args:
        alt: what it shows, for those who cannot see it.
        chart: whether it keeps its meaning where dark and light are swapped, as a map does not.
        main: whether it is printed large.
    """
    kind = _TYPES[path.suffix]
    data = base64.b64encode(path.read_bytes()).decode()
    # Of a moving picture only the first frame would be printed.
    style = ' class="moving"' if path.suffix == ".gif" else ' class="main"' if main else ""
    drawn = "chart" if chart else "map"
    return (f'<figure{style}><img class="{drawn}" src="data:{kind};base64,{data}" '
            f'alt="{text(alt)}">'
            f"<figcaption>{text(caption)}</figcaption></figure>\n")


def write_page(path: Path, content: str) -> Path:
    """Writes a page that appears whole or not at all; returns its path."""
    write_text(path, content)
    return path
