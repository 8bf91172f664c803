"""How a DQN agent learns, as one frozen value."""

from dataclasses import dataclass

from firebreak.agent.schedules import LinearSchedule

_NOTHING = LinearSchedule(0.0, 0.0, 0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DQNSettings:
    """How the agent learns.

    Attributes:
        epsilon: exploration by env steps.
        discount: by learner steps. Near 0 at first (learn each break's own gain), then raised
            (learn breaks that only pay together).
        guided: share of exploration among the `guided_cells` best cells by downstream value.
        target_period: learner steps between hard copies into the target network.
        target_share: share of the online network that each learner step takes into the target
            network instead; 0: hard copies.
        dueling: a map's base value plus advantages over the mean of its legal cells.
        demonstrations: share of the environments that place the best cell by downstream value until
            `demonstration_steps` env steps.
        imitation: weight of the large-margin loss (of `margin`, in the unit of the network's
            output) on transitions that did what downstream value does, by learner steps.
        segments: actions are segments of cells. They are learned at discount 0, from gains.
    """

    epsilon: LinearSchedule
    discount: LinearSchedule
    learning_rate: LinearSchedule
    width: int = 32
    batch_size: int = 64
    n_step: int = 1
    gradient_clip: float = 10.0
    target_period: int = 300
    guided: float = 0.5
    guided_cells: int = 15
    target_share: float = 0.0
    dueling: bool = False
    demonstrations: float = 0.0
    demonstration_steps: int = 0
    imitation: LinearSchedule = _NOTHING
    margin: float = 0.5
    segments: bool = False
