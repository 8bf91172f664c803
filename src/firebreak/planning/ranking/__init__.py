"""Methods that rank cells by a map: burn probability, downstream value, hazard, betweenness. No
burning of trial breaks.
"""
