"""Plans of every method and rival on maps whose best plan is known: a table in Markdown.

    python -m benchmarks.closed_form [--size 20] [--plan-fires 128] [--methods a,b]

A score is the share of the saving that the best plan makes: 1 is the best plan, 0 no plan.
"""

import argparse

import numpy as np
from benchmarks.rivals import RIVALS, known, method_of

from firebreak.agent.policy_file import load_policy
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.synthetic.closed_form import CLOSED_FORMS, ClosedForm, closed_form
from firebreak.native_library import set_threads
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS

LONG_MIN = 1e7
TEST_FIRES = 500


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--plan-fires", type=int, default=128)
    parser.add_argument("--methods",
                        default=",".join(name for name, method in (METHODS | RIVALS).items()
                                         if not method.searches))
    args = parser.parse_args()
    set_threads(1)
    print(f"| method | {' | '.join(CLOSED_FORMS)} |\n|---|{'---|' * len(CLOSED_FORMS)}")
    made = [closed_form(name, args.size) for name in CLOSED_FORMS]
    scenes = [make_scene(form.landscape, FireConditions(regime=FireRegime(
        duration_min=LONG_MIN, duration_sigma=0.0)), 0) for form in made]
    for method in args.methods.split(","):
        scores = [score(scene, form, method, args.plan_fires)
                  for scene, form in zip(scenes, made, strict=True)]
        print(f"| {method} | {' | '.join(f'{value:.2f}' for value in scores)} |", flush=True)


def score(scene: Scene, form: ClosedForm, method: str, plan_fires: int) -> float:
    """Share of the best plan's saving that a method's plan makes on test fires."""
    draws = 30 if method_of(method).stochastic else 1
    losses = []
    for draw in range(draws):
        with known():
            plan = make_plan(scene, form.budget_share, plan_fires, method, seed=draw,
                             policy=load_policy())
        losses.append(burn(scene, scene.fires("test", TEST_FIRES), plan.break_mask()).loss.mean())
    return float((form.untreated_loss - np.mean(losses))
                 / (form.untreated_loss - form.optimal_loss))


if __name__ == "__main__":
    main()
