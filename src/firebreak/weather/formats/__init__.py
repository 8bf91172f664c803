"""Readers of weather: station CSV, FARSITE .wxs and .wtr, Cell2Fire tables, gridded files. The
rows become the weather of fires one folder up.
"""
