"""Memory of a run: readings of the process and of what its roots own, trends, and a verdict.
Knows no other layer: it walks the roots that it is given and returns plain rows.
"""
