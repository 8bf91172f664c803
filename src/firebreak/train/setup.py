"""From a configuration to what the fire layer and the agent take."""

from pathlib import Path

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.network import take_over
from firebreak.agent.policy_file import load_policy, policy_at
from firebreak.agent.schedules import LinearSchedule
from firebreak.agent.settings import DQNSettings
from firebreak.checks import fail
from firebreak.fire.fires import FireRegime
from firebreak.fire.losses import ResponseFunction
from firebreak.fire.potential import BehaviorModel
from firebreak.fire.scene import FireConditions
from firebreak.fire.spotting import SpottingModel
from firebreak.fire.weather import WindClimate
from firebreak.landscape.treatments import Treatment
from firebreak.train.schema import AgentConfig, RunConfig
from firebreak.units import M_MIN_PER_KM_H


def conditions_of(config: RunConfig, data: Path) -> FireConditions:
    """Weather, fires and breaks as the fire layer wants them.

    Raises:
        InputError: the weather file is missing or damaged.
    """
    fires, breaks = config.fires, config.breaks
    climate = WindClimate(wind_20ft_mean_m_min=fires.wind_20ft_km_h * M_MIN_PER_KM_H,
                          wind_20ft_spread_m_min=fires.wind_spread_km_h * M_MIN_PER_KM_H,
                          direction_spread_deg=fires.wind_direction_spread_deg)
    regime = FireRegime(burned_share=fires.burned_share, duration_sigma=fires.duration_sigma,
                        edge_share=fires.edge_share, duration_min=fires.duration_min)
    if fires.weather is None and fires.hours is not None:
        raise fail(expected="fires.weather together with fires.hours", given="none",
                   where="fires.hours", remedy="name the weather file whose hours to burn in")
    weather = None
    if fires.weather is not None:
        # It brings GDAL, for weather on a grid.
        from firebreak.fire.scenario_sets import weather_of
        weather = weather_of(data / fires.weather, scenarios=fires.scenarios, hours=fires.hours,
                             seed=config.seed, moisture=fires.moisture)
    return FireConditions(
        climate=climate, regime=regime, scenarios=fires.scenarios, weather=weather,
        spread=fires.spread, model=BehaviorModel(crown=fires.crown),
        treatment=Treatment(kind=breaks.kind, width_m=breaks.width_m, fuel_model=breaks.fuel),
        breach=breaks.breach, leak=breaks.leak,
        response=None if fires.losses is None else ResponseFunction(
            name="losses", loss=tuple(fires.losses)),  # type: ignore[arg-type]
        spotting=SpottingModel() if fires.spotting else None)


def begin_with(agent: DQNAgent, start: str) -> None:
    """Gives an agent that has learned nothing the weights of a policy, see `policy_at`; of one for
    cells too, if its own actions are segments.

    Raises:
        InputError: no policy, or one whose network is another.
    """
    path = policy_at(start)
    try:
        take_over(agent.online_net, load_policy(path).network)
    except RuntimeError as error:
        raise fail(expected="a policy with the width, head and actions of the agent, or for cells",
                   given=str(error).splitlines()[0].rstrip(":"), where=str(path),
                   remedy="leave the start out, or set agent.width and agent.segments as the "
                          "policy has them") from error
    agent.target_net.load_state_dict(agent.online_net.state_dict())


def settings_of(agent: AgentConfig) -> DQNSettings:
    """The agent's settings."""
    return DQNSettings(
        epsilon=LinearSchedule(agent.epsilon, agent.epsilon_end, 0, agent.epsilon_steps),
        discount=LinearSchedule(agent.discount, agent.discount_end, agent.discount_begin,
                                agent.discount_finish),
        learning_rate=LinearSchedule(agent.learning_rate, agent.learning_rate_end,
                                     agent.decay_begin, agent.decay_finish),
        width=agent.width, batch_size=agent.batch_size, n_step=agent.n_step,
        gradient_clip=agent.gradient_clip, target_period=agent.target_period,
        segments=agent.segments, guided=agent.guided, guided_cells=agent.guided_cells,
        target_share=agent.target_share, dueling=agent.dueling,
        demonstrations=agent.demonstrations, demonstration_steps=agent.demonstration_steps,
        imitation=LinearSchedule(agent.imitation, 0.0, 0, agent.imitation_finish),
        margin=agent.margin)
