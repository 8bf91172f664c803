"""The travel field: how long fire takes along the arcs of the stencil,
and the overlay of breaks on it. Which way fire takes is the solver's.
"""
