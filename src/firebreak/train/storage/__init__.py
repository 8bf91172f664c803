"""Files of a run: checkpoints, rows of metrics, artifacts, and its lock. What the rows and trees
mean is defined in `run` and `studies`.
"""
