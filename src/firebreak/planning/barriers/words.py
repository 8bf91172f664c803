"""Sentences on barriers beside a plan, and the notes of a plan that it is made from."""

from collections.abc import Iterable

from firebreak.planning.core.plan import Plan, amount_words

CLOSED, BEYOND, BEYOND_COST, INSIDE = ("closed_share", "beyond_share", "beyond_cost",
                                       "inside_share")
"""Notes of a plan: shares of what is at stake that closed barriers keep, for the budget and for
more; what that costs; the share that is lost to fires which start behind any barrier."""
NOTABLY = 0.05
"""A share of what is at stake that is worth a word."""


def barrier_words(plans: Iterable[Plan]) -> str | None:
    """Sentences on barriers, from the first of the plans of a job that looked for them: what cannot
    be closed for the budget, and what it would cost; None where there is nothing to say.
    """
    for plan in plans:
        notes = plan.notes or {}
        if CLOSED in notes:
            return " ".join(_sentences(plan, notes)) or None
    return None


def _sentences(plan: Plan, notes: dict[str, float]) -> list[str]:
    found, unit = [], plan.priced_in
    if BEYOND in notes:
        costs = (f"costs {amount_words(notes[BEYOND_COST], unit)} and shuts out "
                 f"{notes[BEYOND]:.0%} of the expected loss.")
        found.append(f"The budget closes a barrier that shuts out {notes[CLOSED]:.0%}; a whole one "
                     f"{costs}" if notes[CLOSED] >= NOTABLY else
                     f"The barrier cannot be closed for {amount_words(plan.budget, unit)}: closed, "
                     f"it {costs}")
    if INSIDE in notes:
        found.append(f"Fires that start behind any barrier cause {notes[INSIDE]:.0%} of the "
                     "expected loss: no barrier helps there.")
    return found
