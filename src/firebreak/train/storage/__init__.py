"""Files of a run: checkpoints, rows of metrics, and its lock. What the rows and trees
mean is defined in `run`.
"""
