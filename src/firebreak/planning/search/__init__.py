"""Methods that change a plan move by move and burn each change (greedy, swap, anneal), and milp.
Methods that place lines and patches are in `patterns`.
"""
