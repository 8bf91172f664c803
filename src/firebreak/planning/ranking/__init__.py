"""Methods that rank cells by a map: burn probability, downstream value, betweenness. No
burning of trial breaks.
"""
