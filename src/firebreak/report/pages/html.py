"""Pages of one file: text, tables and pictures in HTML that loads nothing from a network.

Everything that is not markup made here is escaped. Pages read on a phone and printed; pictures have
a text of their own for those who cannot see them.
"""

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from firebreak.files import write_text

_TYPES = {".png": "image/png", ".gif": "image/gif", ".webp": "image/webp"}
_STYLE = """
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.2rem 1rem 4rem;background:#fff;color:#222;
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:.4rem 0 .3rem}
h2{font-size:1.25rem;margin:2.4rem 0 .5rem;border-bottom:2px solid #ddd;padding-bottom:.2rem}
h3{font-size:1.02rem;margin:1.4rem 0 .3rem}
.lead{color:#555;margin:.1rem 0 1rem}
nav{font-size:.92rem;margin:1rem 0}nav a{margin-right:1rem;white-space:nowrap}
a{color:#1a5a96}
.key{display:grid;grid-template-columns:repeat(auto-fit,minmax(12.5rem,1fr));gap:.7rem;
margin:1rem 0}
.key div{border:1px solid #ccc;border-left:5px solid #1f6fb4;padding:.5rem .8rem}
.key b{display:block;font-size:1.5rem;line-height:1.25}
.key span{display:block;font-size:.88rem;color:#444}
figure{margin:1.1rem 0;break-inside:avoid}
figure img{max-width:100%;height:auto;display:block}
figcaption{font-size:.9rem;color:#444;margin-top:.3rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem;margin:.6rem 0;font-variant-numeric:tabular-nums}
caption{text-align:left;font-size:.9rem;color:#444;padding-bottom:.3rem}
th,td{padding:.28rem .65rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{border-bottom:2px solid #888;vertical-align:bottom;white-space:normal}
tr.ours{background:#eaf2fa;font-weight:600}
pre{background:#f4f4f4;border:1px solid #ddd;padding:.7rem;overflow-x:auto;font-size:.85rem;
white-space:pre-wrap;overflow-wrap:anywhere}
code{overflow-wrap:anywhere}
ul{padding-left:1.3rem}li{margin:.25rem 0}
.warn{border-left:5px solid #d95f02;background:#fdf3ea;padding:.5rem .9rem;margin:1rem 0}
.warn ul{margin:0;padding-left:1.1rem}.warn p{margin:.1rem 0}.warn pre{margin:.3rem 0 .6rem}
footer{margin-top:3rem;font-size:.88rem;color:#555;border-top:1px solid #ddd;padding-top:.6rem}
@media (max-width:40rem){body{font-size:15px;padding:.8rem .7rem 3rem}h1{font-size:1.4rem}}
@media print{body{max-width:none;font-size:10.5pt;padding:0}nav{display:none}h2{break-after:avoid}
figure img{max-height:20cm;width:auto}figure.moving{display:none}
.wide{overflow:visible}a{color:inherit}}
@page{margin:1.6cm}
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
          marked: int | None = None) -> str:
    """A table; the row `marked` stands out. Cells are plain text."""
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in header)
    lines = []
    for place, row in enumerate(rows):
        first, *rest = row
        cells = f'<th scope="row">{text(first)}</th>' + "".join(
            f"<td>{text(cell)}</td>" for cell in rest)
        lines.append(f'<tr class="ours">{cells}</tr>' if place == marked else f"<tr>{cells}</tr>")
    return (f'<div class="wide"><table><caption>{text(caption)}</caption><thead><tr>{head}</tr>'
            f"</thead><tbody>{''.join(lines)}</tbody></table></div>\n")


def figure(path: Path, alt: str, caption: str) -> str:
    """A picture, carried within the page.

    Args:
        alt: what it shows, for those who cannot see it.
    """
    kind = _TYPES[path.suffix]
    data = base64.b64encode(path.read_bytes()).decode()
    moving = ' class="moving"' if path.suffix == ".gif" else ""  # printed, only its first frame
    return (f'<figure{moving}><img src="data:{kind};base64,{data}" alt="{text(alt)}">'
            f"<figcaption>{text(caption)}</figcaption></figure>\n")


def write_page(path: Path, content: str) -> Path:
    """Writes a page that appears whole or not at all; returns its path."""
    write_text(path, content)
    return path
