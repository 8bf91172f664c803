"""Landscapes as files, in and out: LCP, GeoTIFF, single layers, Cell2Fire, LANDFIRE; `read` also
makes the synthetic ones. Grids themselves are read and written in `raster`.
"""
