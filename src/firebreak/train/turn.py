"""A turn of a run: a collection in every arena, and the gradient steps that it earns.

Each can be left in its midst, saved, and gone on with: where it stands is in the trainer's
`progress`.
"""

from typing import TYPE_CHECKING

from firebreak.train.learning import learns_gains, update

if TYPE_CHECKING:
    from firebreak.train.trainer import ParallelTrainer


def collect(trainer: "ParallelTrainer") -> None:
    """One collection in every arena, or in those left; the returns of episodes that ended.

    Raises:
        NotFinite: NaN or infinity in Q-values.
    """
    turn, config = trainer.progress, trainer.config
    while turn.collected < len(trainer.arenas):
        arena = trainer.arenas[turn.collected]
        returns = arena.collector.collect(trainer.env_steps, trainer.check_stop).returns
        turn.env_steps += arena.collector.buffer.drain(arena.replay)
        if arena.labels is not None and learns_gains(trainer.agent, config.agent):
            arena.labels.label(config.train.collect_steps * arena.env.num_envs)
        turn.returns += returns
        turn.collected += 1
        trainer.returns.extend(returns)


def learn(trainer: "ParallelTrainer") -> None:
    """The gradient steps due for a collection; none before the replays are ready.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    turn, train = trainer.progress, trainer.config.train
    ready = sum(len(arena.replay) for arena in trainer.arenas) >= train.learning_starts
    if ready and not turn.counted:
        turn.updates_due += turn.env_steps * train.updates_per_env_step
        turn.counted = True
    while turn.counted and turn.updates_due >= 1.0:
        trainer.check_stop()
        for arena in trainer.arenas:
            arena.collector.poll()
        made = update(trainer.agent, trainer.arenas, trainer.config.agent)
        trainer.losses.append(made.loss)
        turn.updates_due -= 1.0
        turn.updates.append((made.loss, made.mean_q, made.gradient_norm))
    trainer.check_stop()
