"""Methods that test fires tell apart as better than the plan that they are held against."""

import shlex

from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.methods import METHODS


def rival_words(evaluation: Evaluation, plan: Plan, command: str) -> tuple[str, str] | None:
    """One sentence on the methods that save more than a plan and were not chosen, the best first,
    and the command that it ends with, which plans with the best; None where there are none.

    Args:
        evaluation: of the plan and methods on the same test fires.
        command: that made the plan.
    """
    rivals = rivals_of(evaluation, plan)
    if not rivals:
        return None
    verb = "saves" if len(rivals) == 1 else "save"
    return (f"On these test fires {' and '.join(rivals)} {verb} more than {plan.label} does, told "
            "apart: plan with", with_method(command, rivals[0]))


def rivals_of(evaluation: Evaluation, plan: Plan) -> list[str]:
    """Methods that save more than a plan and were not chosen, the best first."""
    # The chosen method by itself may save more in pieces that are not worth a crew's way.
    return [name for name in better_rivals(evaluation, plan.label) if name != plan.method]


def better_rivals(evaluation: Evaluation, subject: str) -> list[str]:
    """Methods whose paired 95 % interval to the subject excludes 0 in their favour, the best first.

    subject: the name of a plan that the others are held against.
    """
    found = []
    for name in evaluation.methods:
        pair = evaluation.paired.get(f"{subject} - {name}")
        if pair is not None and pair.high < 0.0 and name in METHODS:
            found.append((pair.difference, name))
    return [name for _, name in sorted(found)]


def with_method(command: str, method: str) -> str:
    """A command that plans, with another method, and not into the same folder."""
    kept, words = [], iter(shlex.split(command))
    for word in words:
        if word in ("--method", "--out"):
            next(words, None)
        elif not word.startswith(("--method=", "--out=")):
            kept.append(word)
    return shlex.join([*kept, "--method", method])
