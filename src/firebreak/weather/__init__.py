"""What fires burn in: tables of weather become scenarios and hourly streams (moisture, FWI, burning
periods, wind rose). How fire behaves in it is `fire`; the files are read in `formats`.
"""
