"""A network of yours in firebreak's DQN, beside firebreak's own after as many episodes.

Training, replay, targets and planning stay firebreak's; the network is a function that makes a
torch module: observations [M, channels, H, W] in, a value for each cell out, on maps of any size.

    python examples/own_network.py --episodes 60
"""

import argparse

import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from torch import nn

from firebreak import plan, train_policy


class Pyramid(nn.Module):
    """Features of a cell and its neighbours at three scales, and a value made of them."""

    def __init__(self, channels: int, width: int, shapes: int) -> None:
        super().__init__()
        self.scales = nn.ModuleList(nn.Conv2d(channels, width, 3, padding=1) for _ in range(3))
        self.mix = nn.Conv2d(3 * width, 2 * width, 3, padding=1)
        self.value = nn.Conv2d(2 * width, shapes, 1)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Values [M, shapes, H, W]."""
        size, seen = observation.shape[-2:], []
        for level, scale in enumerate(self.scales):
            coarse = nn.functional.avg_pool2d(observation, 2**level, ceil_mode=True)
            seen.append(nn.functional.interpolate(scale(coarse).relu(), size=size))
        return self.value(self.mix(torch.cat(seen, dim=1)).relu())


def pyramid(channels: int, width: int, shapes: int) -> nn.Module:
    """The network; a policy finds it again by the name of this function."""
    return Pyramid(channels, width, shapes)


options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--episodes", type=int, default=60)
options.add_argument("--picture", default="own_network.png")
asked = options.parse_args()
changes = {"train.episodes": asked.episodes, "train.learning_starts": min(300, 10 * asked.episodes),
           "evaluation.every_episodes": asked.episodes, "evaluation.validation_landscapes": 8,
           "evaluation.test_landscapes": 8, "evaluation.test_fires": 300}
trained = {name: train_policy("quick", set=changes, network=network, quiet=True)
           for name, network in (("pyramid", pyramid), ("firebreak's own", None))}
for name, one in trained.items():
    (found,) = one.comparison.values()
    saved = found.methods["dqn"]
    print(f"{name}: {saved.reduction:.3f} ({saved.low:.3f} to {saved.high:.3f}) of the loss of "
          f"{len(found.plans)} test landscapes, {one.seconds:.0f} s of training")

figure = Figure(figsize=(8, 3.6), layout="constrained")
FigureCanvasAgg(figure)
for axes, (name, one) in zip(figure.subplots(1, 2), trained.items(), strict=True):
    made = plan("synthetic:5:20", method="dqn", policy=one, test_fires=0, quiet=True)
    shown = axes.imshow(made.values(), cmap="viridis")
    axes.contour(made.breaks, levels=[0.5], colors="white")
    axes.set_title(f"Values of {name}", fontsize=10)
    axes.set_axis_off()
    figure.colorbar(shown, label="loss saved by the first break, %")
figure.savefig(asked.picture, dpi=110)
