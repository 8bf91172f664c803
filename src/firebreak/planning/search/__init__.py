"""Methods that change a plan move by move and burn each change (greedy and moves).
Methods that place lines and patches are in `patterns`.
"""
