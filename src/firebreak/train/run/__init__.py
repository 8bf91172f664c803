"""One run: the trainer with its groups, turns, cleanups, progress and resuming. How episodes are
played is in `rollout`, what is written in `storage`.
"""
