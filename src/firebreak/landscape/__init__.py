"""The land: the landscape type, fuel systems, terrain, costs, treatments. Fire burns in `fire`.
Import from the modules.

Imports point down: these modules, then `raster`, then `synthetic`, then `formats`.
"""
