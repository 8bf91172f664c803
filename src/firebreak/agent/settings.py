"""How a DQN agent learns, as one frozen value.

Schedules are of absolute steps: a value is a function of env or learner steps, never of a share of
a run's length, so that a longer run starts like a short one.
"""

from dataclasses import dataclass

from firebreak.settings.agent import AgentSettings


@dataclass(frozen=True, slots=True)
class LinearSchedule:
    """`start` until step `begin`, `end` from step `finish` on, a straight line between."""

    start: float
    end: float
    begin: int
    finish: int

    def __call__(self, step: int) -> float:
        """The value at an absolute step."""
        if step <= self.begin:
            return self.start
        if step >= self.finish:
            return self.end
        return self.start + (self.end - self.start) * (step - self.begin) / (
            self.finish - self.begin)


@dataclass(frozen=True, slots=True, kw_only=True)
class DQNSettings:
    """How the agent learns.

    Attributes:
        epsilon: exploration by env steps.
        discount: by learner steps. Near 0 at first (learn each break's own gain), then raised
            (learn breaks that only pay together).
        guided: share of exploration among the `guided_cells` best cells by downstream value.
        target_period: learner steps between hard copies into the target network.
        demonstrations: share of the environments that place the best cell by downstream value until
            `demonstration_steps` env steps.
        segments: actions are lines of cells, see `firebreak.line_actions`. They are learned at
            discount 0, from gains.
    """

    epsilon: LinearSchedule
    discount: LinearSchedule
    learning_rate: LinearSchedule
    width: int = AgentSettings.width
    batch_size: int = AgentSettings.batch_size
    n_step: int = AgentSettings.n_step
    gradient_clip: float = AgentSettings.gradient_clip
    target_period: int = AgentSettings.target_period
    guided: float = AgentSettings.guided
    guided_cells: int = AgentSettings.guided_cells
    demonstrations: float = AgentSettings.demonstrations
    demonstration_steps: int = AgentSettings.demonstration_steps
    segments: bool = AgentSettings.segments


def settings_of(agent: AgentSettings) -> DQNSettings:
    """How the agent learns, from the settings of a run."""
    return DQNSettings(
        epsilon=LinearSchedule(agent.epsilon, agent.epsilon_end, 0, agent.epsilon_steps),
        discount=LinearSchedule(agent.discount, agent.discount_end, agent.discount_begin,
                                agent.discount_finish),
        learning_rate=LinearSchedule(agent.learning_rate, agent.learning_rate_end,
                                     agent.decay_begin, agent.decay_finish),
        width=agent.width, batch_size=agent.batch_size, n_step=agent.n_step,
        gradient_clip=agent.gradient_clip, target_period=agent.target_period,
        segments=agent.segments,
        guided=agent.guided, guided_cells=agent.guided_cells,
        demonstrations=agent.demonstrations, demonstration_steps=agent.demonstration_steps)
