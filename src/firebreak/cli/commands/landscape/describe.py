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
    lines[1:1] = _box(land)
    lines += _special_layers(land)
    codes, counts = np.unique(land.fuel_model, return_counts=True)
    for code, count in sorted(zip(codes.tolist(), counts.tolist(), strict=True),
                              key=lambda pair: -pair[1]):
        name = "no data" if code == NODATA else land.fuels.described(code)
        lines.append(f"  {code:>6}  {name:<28} {count / land.fuel_model.size:6.1%}  "
                     f"{count * hectares:>10,.0f} ha")
    return "\n".join(lines)


def _box(land: "Landscape") -> list[str]:
    """Where the map lies, in degrees; nothing without a reference system."""
    from firebreak.landscape.raster.degrees import corners_of

    if land.crs is None:
        return []
    west, south, east, north = corners_of(land)
    return [f"from {_degrees(west, 'EW')} to {_degrees(east, 'EW')}, from "
            f"{_degrees(south, 'NS')} to {_degrees(north, 'NS')}"]


def _degrees(angle: float, signs: str) -> str:
    return f"{abs(angle):.4f} {signs[0] if angle >= 0 else signs[1]}"


def about_sample(spec: str) -> list[str]:
    """What is known of a sample's making, a line each; nothing of another landscape."""
    from firebreak.landscape.names import ABOUT_FILE, is_sample, sample_folder
    from firebreak.reading import read_toml

    if not is_sample(spec):
        return []
    folder = sample_folder(spec)
    told = {**read_toml(folder / ABOUT_FILE), "files": folder}
    return [f"{key.replace('_', ' ')}: {value}" for key, value in told.items()]


def _special_layers(land: "Landscape") -> list[str]:
    """A line for each optional layer that differs from its default."""
    from firebreak.landscape.formats.write import extra_layers

    units = {"grass_curing": " %"}
    return [f"{name.replace('_', ' ')} {grid.min():g} to {grid.max():g}{units.get(name, '')}"
            for name, grid in extra_layers(land).items() if name != "treatable"]
