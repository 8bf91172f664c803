"""Observed fires beside FIRE-ARROWHEAD (in `published`): those whose data are not here, or say too
little to compare.

Cell2Fire's repository has scars of further fires in British Columbia, in folders like that of
Arrowhead. Their tolerances stand before their data come: a folder of that name is enough.
"""

from benchmarks.validation.cases.published import OVERLAP
from benchmarks.validation.maps import fire_day, scores
from benchmarks.validation.registry import Case, Check, Measured, Places

BC_FIRES = {"FIRE-ARROWHEAD-2": "cell2fire-arrowhead-fire2",
            "FIRE-KOOTENAY-1": "cell2fire-central-kootenay-fire1",
            "FIRE-KOOTENAY-2": "cell2fire-central-kootenay-fire2",
            "FIRE-GLACIER-1": "cell2fire-glacier-national-park-fire1",
            "FIRE-GLACIER-2": "cell2fire-glacier-national-park-fire2"}
"""Folder of the data by identifier."""


def _bc_fire(identifier: str, folder: str) -> Case:
    def measure(places: Places) -> Measured:
        return scores(fire_day(places.data / folder))

    return Case(identifier=identifier, title="a fire mapped in British Columbia", area="accuracy",
                source=f"scar in Cell2Fire's repository, kept as {folder}",
                inputs="cells of 100 m, the folder's hourly weather to its end, nothing calibrated",
                checks=OVERLAP, measure=measure,
                needs=(f"data/{folder}/FinalScarGrid.csv", f"data/{folder}/Weather.csv"))


CASES = (
    *(_bc_fire(identifier, folder) for identifier, folder in BC_FIRES.items()),
    Case(identifier="FIRE-ARROWHEAD-HOURS", title="the Arrowhead fire hour by hour",
         area="accuracy", source="Cell2Fire's Arrowhead folder",
         inputs="as FIRE-ARROWHEAD, after each hour",
         checks=(Check("intersection over union at each hour", "at least", 0.5),),
         missing="only the final scar was mapped, and the source does not say how"),
    Case(identifier="FIRE-DOGRIB", title="the Dogrib fire, Alberta, 16 October 2001",
         area="accuracy", source="Cell2Fire's dogrib folder",
         inputs="223 x 357 cells of 100 m, seven hours of weather, nothing calibrated",
         checks=OVERLAP,
         missing="the folder has fuels, weather and ignition, but no mapped perimeter"),
    Case(identifier="PROMETHEUS-DOGRIB", title="Prometheus's rates on the Dogrib map",
         area="accuracy", source="lautenberger/elmfire, validation/dogrib_flat",
         inputs="means by fuel type over 69,959 cells: C-1 9.4, C-2 22.3, C-3 11.6, O-1 49.6 m/min",
         checks=(Check("mean rate by fuel type", "relative", 0.05, unit="m/min"),),
         missing="the file does not say which side of its comparison is Prometheus, nor in which "
                 "hour's weather"),
)
