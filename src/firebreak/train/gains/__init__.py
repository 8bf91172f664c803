"""Labels from the simulator: what a cell, a line or a whole plan would save. They are learned from
in `run`.
"""
