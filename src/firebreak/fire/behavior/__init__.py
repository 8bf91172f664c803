"""Rate and heat of fire in one cell: Rothermel, wind, crown fire. The Canadian system is
in `fbp`; nothing here knows of neighbouring cells.
"""
