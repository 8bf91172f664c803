"""Changes to the preset `quick` that make a whole run take seconds."""

TINY = ["agent.gain_share=0", "landscapes.size=10", "fires.plan_fires=12",
        "fires.reward_fires=12", "fires.scenarios=2",
        "agent.width=8", "agent.batch_size=8", "train.episodes=16", "train.num_envs=4",
        "train.learning_starts=24", "train.updates_per_env_step=0.25", "replay.capacity=400",
        "evaluation.every_episodes=8", "evaluation.validation_landscapes=3",
        "evaluation.test_landscapes=2", "evaluation.test_fires=20", "agent.target_period=5"]

TINIER = [*TINY, "fires.plan_fires=6", "fires.reward_fires=6", "evaluation.validation_landscapes=1",
          "evaluation.test_landscapes=1", "train.learning_starts=8", "replay.capacity=60"]
"""For tests of memory, which need many episodes: a replay that is soon full."""
