"""Build and maintain over ten years: a plan with a treatment that grows back.

    python examples/years.py my_landscape.tif
"""

import sys

from firebreak import plan

landscape = sys.argv[1] if len(sys.argv) > 1 else "synthetic:1:24"
made = plan(landscape, budget=0.05, method="downstream-value", treatment="bare-line", horizon=10,
            discount_rate=0.03, test_fires=300, quiet=True)
years = made.effect.years
for name, saved in years.saved.items():
    kept = " (kept)" if name == years.chosen else ""
    print(f"{name}: {saved.reduction:.1%} of the loss of ten years{kept}")
kept = years.schedules[years.chosen]
for year, built, kept_up in zip(years.years, kept.built, kept.kept, strict=True):
    print(f"year {year}: {built:,.0f} for new breaks, {kept_up:,.0f} for upkeep")
