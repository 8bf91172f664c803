"""Effects of fire besides spread: embers, crossings of breaks, losses by flame length; and the
random numbers that are keyed by fire and cell.
"""
