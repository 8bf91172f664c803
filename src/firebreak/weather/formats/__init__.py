"""Readers of weather: station CSV, FARSITE .wxs and .wtr, Cell2Fire tables, gridded files. What the
rows mean for a fire is decided one folder up.
"""
