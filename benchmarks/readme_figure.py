"""The animated fire of the README: the largest of 64 fires that the plan was not shown.

    python benchmarks/readme_figure.py

writes docs/figures/fire.gif and prints what it shows.
"""

from pathlib import Path

import numpy as np

from firebreak.agent.policy_file import load_policy
from firebreak.fire.engine import burn_arrival, burn_loss
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.landscape.synthetic import generate
from firebreak.planning.methods import make_plan
from firebreak.report.animation import fire_gif

SEED, SIZE, BUDGET, PLAN_FIRES, FIRES, FRAMES = 1, 48, 0.05, 256, 64, 24
OUT = Path(__file__).resolve().parents[1] / "docs" / "figures" / "fire.gif"


def main() -> None:
    """Draws it."""
    land = generate(SEED, SIZE)
    scene = make_scene(land, FireConditions(), 0)
    plan = make_plan(scene, BUDGET, PLAN_FIRES, "dqn", seed=0, policy=load_policy())
    breaks = plan.break_mask()
    fires = scene.fires("show", FIRES)
    before = burn_loss(scene.field, fires, scene.worth)
    after = burn_loss(scene.field, fires, scene.worth, breaks)
    largest = int(np.argmax(before))
    fire = fires.part(slice(largest, largest + 1))
    fire_gif(OUT, land, burn_arrival(scene.field, fire)[0],
             burn_arrival(scene.field, fire, breaks)[0], breaks, int(fire.source[0]),
             float(fire.duration_min[0]), frames=FRAMES)
    print(f"{OUT}: {OUT.stat().st_size / 1e3:.0f} kB; synthetic:{SEED}:{SIZE}, {plan.cells.size} "
          f"cells; this fire {before[largest]:.0f} -> {after[largest]:.0f} cells; mean of {FIRES} "
          f"fires {before.mean():.0f} -> {after.mean():.0f}")


if __name__ == "__main__":
    main()
