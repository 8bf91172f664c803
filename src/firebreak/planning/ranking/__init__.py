"""Methods that rank cells by a map: burn probability, downstream value, hazard, betweenness,
dominators. No burning of trial breaks.
"""
