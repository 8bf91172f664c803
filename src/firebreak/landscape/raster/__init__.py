"""Grids as files and on grids: GeoTIFF, ASCII, resampling, shapes; windows of a landscape. Knows no
layer roles and no landscape format.
"""
