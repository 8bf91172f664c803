"""Labels from the simulator: what a cell or a line would save. They are learned from in `run`."""
