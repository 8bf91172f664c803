"""The part of a plan's report that tells how its breaks are made."""

from firebreak.planning.output.export_effect import PlanResult, treatments_in
from firebreak.report.figures.plan_figures import amount
from firebreak.report.pages import html


def treatments_part(result: PlanResult) -> str:
    """What each treatment does, costs and costs to keep up, with the sources of its numbers."""
    used = treatments_in(result)
    rows = [[one["title"], f"{one['area_ha']:,.2f}", amount(one["cost"]),
             amount(one["upkeep_per_year"])] for one in used]
    currency = result.treatments[0].currency
    return html.table(
        ["treatment", "area, ha", f"cost, {currency}", f"upkeep per year, {currency}"], rows,
        "Each cell has the cheapest of the treatments that can be done on its slope. Costs are "
        "those of their sources' years. Upkeep keeps breaks as they are in their first year and is "
        "not part of the cost.") + html.listing(
            f"{one['title']}: {one['sources']}" for one in used)
