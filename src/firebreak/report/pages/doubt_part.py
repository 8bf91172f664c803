"""The part of a plan's report that tells what the plan saves if the fire model is wrong."""

from firebreak.planning.evaluation.doubt import (
    HEADER,
    DoubtResult,
    doubt_rows,
    doubt_verdict,
    draws_of,
    what_is_drawn,
)
from firebreak.report.pages import html
from firebreak.settings.doubt import TRUST_FIRES


def doubt_part(trust: DoubtResult | str) -> str:
    """What the plan and its best rivals save in perturbed worlds, and whether their order holds."""
    if isinstance(trust, str):
        return html.paragraph(trust)
    return html.listing(doubt_verdict(trust)) + html.table(
        [*HEADER, *(f"reduction by {name}, share" for name in trust.methods)],
        [list(row) for row in doubt_rows(trust)],
        f"Mean (lowest to highest of {draws_of(trust)} draws), on at most {TRUST_FIRES} of the "
        f"test fires: {what_is_drawn(trust)}. Plans, ignitions, durations and values are as they "
        "were.") + html.paragraph(
            "A glimpse: firebreak evaluate --perturb burns more draws and fires.")
