"""A landscape in words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape


def describe(land: "Landscape") -> str:
    """A landscape in a few lines: size, place, terrain, fuels by area."""
    import numpy as np

    from firebreak.landscape.landscape import NODATA
    from firebreak.landscape.raster.geotiff import crs_name

    rows, cols = land.shape
    hectares = land.cell_size_m**2 / 1e4
    lines = [
        f"{land.name}: {rows} x {cols} cells of {land.cell_size_m:g} m, "
        f"{rows * cols * hectares:,.0f} ha, CRS {crs_name(land.crs)}",
        f"elevation {land.elevation_m.min():.0f} to {land.elevation_m.max():.0f} m, mean slope "
        f"{100 * land.slope_tan.mean():.0f} %, mean canopy cover "
        f"{100 * land.canopy_cover.mean():.0f} %",
        f"fuel system {land.fuel_system}, burnable {land.burnable.mean():.1%}, treatable "
        f"{land.treatable.mean():.1%}"]
    lines += _special_layers(land)
    codes, counts = np.unique(land.fuel_model, return_counts=True)
    for code, count in sorted(zip(codes.tolist(), counts.tolist(), strict=True),
                              key=lambda pair: -pair[1]):
        name = "no data" if code == NODATA else land.fuels.label(code)
        lines.append(f"  {code:>6}  {name:<24} {count / land.fuel_model.size:6.1%}  "
                     f"{count * hectares:>10,.0f} ha")
    return "\n".join(lines)


def _special_layers(land: "Landscape") -> list[str]:
    """A line for each optional layer that differs from its default."""
    from firebreak.landscape.formats.write import extra_layers

    units = {"grass_curing": " %"}
    return [f"{name.replace('_', ' ')} {grid.min():g} to {grid.max():g}{units.get(name, '')}"
            for name, grid in extra_layers(land).items() if name != "treatable"]
