"""The picture of docs/plan-over-years.md: bare lines over ten years on sample:santa-ana.

    python benchmarks/years_figure.py

makes the plan of the page's command and keeps its years.png as docs/figures/plan-over-years.png.
"""

import shutil
import tempfile
from pathlib import Path

import firebreak
from firebreak.planning.output.tables import years_words

MAP = "sample:santa-ana"
OUT = Path(__file__).resolve().parents[1] / "docs" / "figures" / "plan-over-years.png"
MONEY = [(2027, 10_000), (2028, 10_000), (2029, 10_000), *((year, 2_000) for year in range(
    2030, 2037))]
"""A grant for three years, then the money of upkeep."""


def main() -> None:
    """Makes the plan, draws, prints what the schedules save."""
    made = firebreak.plan(
        MAP, treatment="bare-line", horizon=len(MONEY), method="segments", cells=True,
        segment_m=300.0, budget=",".join(f"{year}:{money}" for year, money in MONEY), threads=1)
    with tempfile.TemporaryDirectory() as folder:
        made.save(folder)
        shutil.copyfile(Path(folder) / "data" / "years.png", OUT)
    assert made.effect is not None
    assert made.effect.years is not None
    print(years_words(made.effect.years))


if __name__ == "__main__":
    main()
