"""The weather of fires: tables become scenarios and hourly streams (moisture, FWI, burning periods,
wind rose). The files are read in `formats`.
"""
