"""Unit conversions, exact but for the one that says so; made where data enters or leaves.

Inside firebreak lengths are metres, times minutes, speeds metres per minute, moistures and
covers fractions, angles degrees clockwise from north.
"""

METRES_PER_FOOT = 0.3048  # exact, international foot
METRES_PER_US_FOOT = 1200.0 / 3937.0  # exact, US survey foot
METRES_PER_MILE = 1609.344  # exact
METRES_PER_CHAIN = 20.1168  # exact, 66 feet
MINUTES_PER_HOUR = 60.0

FEET_PER_METRE = 1.0 / METRES_PER_FOOT
M_MIN_PER_MPH = METRES_PER_MILE / MINUTES_PER_HOUR
M_MIN_PER_KM_H = 1000.0 / MINUTES_PER_HOUR
M_MIN_PER_FT_MIN = METRES_PER_FOOT
M_MIN_PER_CHAIN_HOUR = METRES_PER_CHAIN / MINUTES_PER_HOUR

KG_PER_LB = 0.45359237  # exact
KJ_PER_BTU = 1.05505585262  # exact, International Table BTU
KG_M3_PER_LB_FT3 = KG_PER_LB / METRES_PER_FOOT**3
KW_M_PER_BTU_FT_S = KJ_PER_BTU / METRES_PER_FOOT
KW_M2_PER_BTU_FT2_MIN = KJ_PER_BTU / METRES_PER_FOOT**2 / 60.0
KJ_M2_PER_BTU_FT2 = KJ_PER_BTU / METRES_PER_FOOT**2

WIND_10M_PER_20FT = 1.15
"""Not exact: wind 10 m above open ground over wind at 20 ft (Turner & Lawson 1978, BC-X-177)."""
