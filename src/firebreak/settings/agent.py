"""The settings of the agent's learning."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from firebreak.settings.kinds import AtLeastOne, Fraction, Positive


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """The learner. Steps in schedules are absolute, never shares of the run."""

    start: str | None = None
    """Policy file or run whose weights it begins with, or general or shaded, the policies that
    come with firebreak."""
    network: str | None = None
    """Network that learns, of an installed package; firebreak's own if not given."""
    width: Annotated[int, Ge(4), Le(512)] = 32
    """Channels of the network."""
    learning_rate: Positive = 0.0007
    """Learning rate at the start."""
    learning_rate_end: Positive = 0.0001
    """Learning rate from decay_finish on."""
    decay_begin: Annotated[int, Ge(0)] = 4000
    """Learner steps: the learning rate falls from here."""
    decay_finish: AtLeastOne = 9000
    """Learner steps: the learning rate falls until here."""
    epsilon: Fraction = 1.0
    """Exploration at the start."""
    epsilon_end: Fraction = 0.05
    """Exploration from epsilon_steps on."""
    epsilon_steps: AtLeastOne = 3000
    """Env steps over which exploration falls."""
    discount: Fraction = 0.0
    """Discount at the start, per mean cost of a cell; at 0 each break's own gain per cost is
    learned."""
    discount_end: Fraction = 0.9
    """Discount in the end; above 0 what later breaks save counts too, at 1 the whole plan."""
    discount_begin: Annotated[int, Ge(0)] = 1600
    """Learner steps: the discount rises from here."""
    discount_finish: AtLeastOne = 4000
    """Learner steps: the discount rises until here."""
    n_step: Annotated[int, Ge(1), Le(100)] = 1
    """Steps summed in a return."""
    batch_size: AtLeastOne = 64
    """Transitions per update."""
    target_period: AtLeastOne = 300
    """Learner steps between target copies."""
    gradient_clip: Positive = 10.0
    """Largest gradient norm."""
    guided: Fraction = 0.5
    """Share of exploration among the best cells by downstream value."""
    guided_cells: AtLeastOne = 15
    """Number of the best cells that guided exploration draws from."""
    symmetries: bool = True
    """Learn from turned and mirrored batches."""
    demonstrations: Fraction = 0.0
    """Share of the episodes that go along the barrier which enclose finds within the budget; half
    of them leave it on the way."""
    twin: bool = False
    """A second network learns from the same batches at discount 0, and is validated beside it."""
    gain_share: Fraction = 0.0
    """Share of the states of which some actions are tried by the simulator, before the agent acts
    in them; their gains are learned from until discount_begin, instead of transitions, or with a
    discount above 0 at all times, and apart from them what follows the action taken."""
    gain_fires: AtLeastOne = 64
    """Reward fires that a break is tried on."""
    fit_steps: Annotated[int, Ge(0), Le(1_000_000)] = 0
    """Learner steps after the last episode, on the states that the replay holds with gains alone:
    the learning rate is that of the start for a fifth of them, then falls to 0, and the last
    weights are the run's policy."""
    segments: bool = False
    """An action is a straight segment of cells; learned from gains."""

    @property
    def looks_ahead(self) -> bool:
        """True where values have two parts: exact gains, and what follows."""
        return self.gain_share > 0.0 and self.discount > 0.0
