"""Readers of weather: station CSV, FARSITE .wxs and .wtr, Cell2Fire tables. The rows become the
weather of fires one folder up.
"""
