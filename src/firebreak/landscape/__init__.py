"""What there is to burn: the landscape type, fuel systems, terrain, costs, treatments. How fire
burns in it is `fire`. Import from the modules.

Imports point down: these modules, then `raster`, then `synthetic`, then `formats`.
"""
