"""The settings that change as an agent learns: exploration, discount and learning rate.

They are functions of absolute env or learner steps, never of a share of a run's length, so that a
longer run starts like a short one.
"""

from firebreak.settings.agent import AgentSettings


def between(step: int, start: float, end: float, begin: int, finish: int) -> float:
    """`start` until step `begin`, `end` from step `finish` on, a straight line between."""
    if step <= begin:
        return start
    if step >= finish:
        return end
    return start + (end - start) * (step - begin) / (finish - begin)


def epsilon_at(settings: AgentSettings, env_steps: int) -> float:
    """Share of actions that explore."""
    return between(env_steps, settings.epsilon, settings.epsilon_end, 0, settings.epsilon_steps)


def discount_at(settings: AgentSettings, learner_steps: int) -> float:
    """Discount of what later breaks save: near 0 at first (learn each break's own gain), then
    raised (learn breaks that only pay together).
    """
    return between(learner_steps, settings.discount, settings.discount_end,
                   settings.discount_begin, settings.discount_finish)


def learning_rate_at(settings: AgentSettings, learner_steps: int) -> float:
    """Learning rate of the optimizer."""
    return between(learner_steps, settings.learning_rate, settings.learning_rate_end,
                   settings.decay_begin, settings.decay_finish)
