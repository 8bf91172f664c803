"""The surface fire spread model of Rothermel (1972) with the changes of Albini (1976).

One function per equation, in the units of the papers (ft, lb, BTU, min); equation numbers are
those of Rothermel 1972 (INT-115) unless another source is named. The whole model is set out by
Andrews 2018 (RMRS-GTR-371); where programs differ, BEHAVE's choice is taken. Every function works
on scalars and arrays; arrays "per class" have a first axis of length 6 in the order of
`FUEL_CLASSES`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.landscape.fuels import FuelModel

Floats = NDArray[np.float64]

FUEL_CLASSES = ("1h", "10h", "100h", "cured herb", "live herb", "live woody")
"""Order of the class axis: four dead classes, then two live ones."""

DEAD = slice(0, 4)
LIVE = slice(4, 6)
_CURED_HERB, _LIVE_HERB = 3, 4

SAV_10H_FT = 109.0
"""Surface-area-to-volume ratio of 10-hour fuel, 1/ft (Albini 1976)."""
SAV_100H_FT = 30.0
"""Surface-area-to-volume ratio of 100-hour fuel, 1/ft (Albini 1976)."""
PARTICLE_DENSITY_LB_FT3 = 32.0
"""Oven-dry particle density, lb/ft3."""
TOTAL_MINERAL = 0.0555
"""Total mineral content, fraction."""
EFFECTIVE_MINERAL = 0.010
"""Silica-free mineral content, fraction."""
SIZE_CLASS_EDGES_FT = (16.0, 48.0, 96.0, 192.0, 1200.0)
"""Surface-area-to-volume ratios, 1/ft, that bound the size classes of Albini (1976)."""


class FuelParticles(NamedTuple):
    """Fuels as the model sees them, before curing; arrays [...] of any one shape.

    Attributes:
        load_lb_ft2: [6, ...] oven-dry load per class, lb/ft2; none is cured herb yet.
        sav_ft: [6, ...] surface-area-to-volume ratio per class, 1/ft.
        dynamic: whether live herbs cure into a dead class.
        depth_ft: depth of the fuel bed, ft.
        extinction_moisture: dead moisture of extinction, fraction.
        heat_btu_lb: low heat content, BTU/lb.
    """

    load_lb_ft2: Floats
    sav_ft: Floats
    dynamic: NDArray[np.bool_]
    depth_ft: Floats
    extinction_moisture: Floats
    heat_btu_lb: Floats

    def take(self, index: NDArray[np.intp]) -> "FuelParticles":
        """The fuels at `index` along the last axis."""
        return FuelParticles(
            self.load_lb_ft2[:, index], self.sav_ft[:, index], self.dynamic[index],
            self.depth_ft[index], self.extinction_moisture[index], self.heat_btu_lb[index])


class FuelBed(NamedTuple):
    """Terms of a fuel at one moisture, whatever the wind and slope; arrays [...].

    Attributes:
        base_rate_ft_min: rate of spread without wind and slope, ft/min.
        reaction_intensity_btu_ft2_min: heat released per area and time, BTU/ft2/min.
        heat_per_area_btu_ft2: heat released in the flaming front, BTU/ft2.
        wind_coefficient: phi_wind = wind_coefficient * (wind in ft/min) ** wind_exponent.
        wind_exponent: B of eq. 49, dimensionless.
        slope_coefficient: phi_slope = slope_coefficient * tan(slope) ** 2.
        depth_ft: depth of the fuel bed, ft.
    """

    base_rate_ft_min: Floats
    reaction_intensity_btu_ft2_min: Floats
    heat_per_area_btu_ft2: Floats
    wind_coefficient: Floats
    wind_exponent: Floats
    slope_coefficient: Floats
    depth_ft: Floats


def fuel_particles(models: Sequence[FuelModel]) -> FuelParticles:
    """The fuels of `models`, one entry of the last axis each."""
    none = 0.0
    load = [(m.load_1h_lb_ft2, m.load_10h_lb_ft2, m.load_100h_lb_ft2, none, m.load_herb_lb_ft2,
             m.load_woody_lb_ft2) for m in models]
    sav = [(m.sav_1h_ft, SAV_10H_FT, SAV_100H_FT, m.sav_herb_ft, m.sav_herb_ft, m.sav_woody_ft)
           for m in models]
    return FuelParticles(
        load_lb_ft2=np.array(load, dtype=np.float64).reshape(-1, 6).T,
        sav_ft=np.array(sav, dtype=np.float64).reshape(-1, 6).T,
        dynamic=np.array([m.dynamic for m in models], dtype=np.bool_),
        depth_ft=np.array([m.depth_ft for m in models], dtype=np.float64),
        extinction_moisture=np.array([m.extinction_moisture for m in models], dtype=np.float64),
        heat_btu_lb=np.array([m.heat_btu_lb for m in models], dtype=np.float64),
    )


def fuel_bed(fuels: FuelParticles, *, dead_moisture_1h: ArrayLike, dead_moisture_10h: ArrayLike,
             dead_moisture_100h: ArrayLike, live_moisture_herb: ArrayLike,
             live_moisture_woody: ArrayLike) -> FuelBed:
    """The fuel beds of `fuels` at these moistures (fractions, broadcast against the fuels)."""
    # Cured herb dries like the finest dead fuel (Scott & Burgan 2005).
    moisture = np.stack(np.broadcast_arrays(
        dead_moisture_1h, dead_moisture_10h, dead_moisture_100h, dead_moisture_1h,
        live_moisture_herb, live_moisture_woody, fuels.depth_ft)[:6])
    extra_axes = (1,) * (moisture.ndim - fuels.load_lb_ft2.ndim)
    per_class = (6, *extra_axes, *fuels.depth_ft.shape)
    sav = fuels.sav_ft.reshape(per_class)
    load = cured_loads(fuels.load_lb_ft2.reshape(per_class), fuels.dynamic, live_moisture_herb)
    area = surface_area(load, sav)
    packing = packing_ratio(load, fuels.depth_ft)
    sigma = characteristic_sav(area, sav)
    relative_packing = packing / optimum_packing_ratio(sigma)
    intensity = _mixed_reaction_intensity(fuels, load, sav, area, moisture, sigma, relative_packing)
    sink = heat_sink(packing * PARTICLE_DENSITY_LB_FT3, area, sav, moisture)
    exponent, coefficient = wind_terms(sigma, relative_packing)
    return FuelBed(
        base_rate_ft_min=intensity * propagating_flux_ratio(sigma, packing) / sink,
        reaction_intensity_btu_ft2_min=intensity,
        heat_per_area_btu_ft2=intensity * residence_time(sigma),
        wind_coefficient=coefficient,
        wind_exponent=exponent,
        slope_coefficient=slope_coefficient(packing),
        depth_ft=np.broadcast_to(fuels.depth_ft, sigma.shape),
    )


def _mixed_reaction_intensity(fuels: FuelParticles, load: Floats, sav: Floats, area: Floats,
                              moisture: Floats, sigma: Floats, relative_packing: Floats) -> Floats:
    velocity = reaction_velocity(sigma, relative_packing)
    extinction_live = live_extinction_moisture(load, sav, moisture, fuels.extinction_moisture)
    total = np.zeros_like(sigma)
    for category, extinction in ((DEAD, fuels.extinction_moisture), (LIVE, extinction_live)):
        shares = _shares(area[category])
        net = net_load(load[category], sav[category], shares)
        damping = moisture_damping((shares * moisture[category]).sum(axis=0), extinction)
        total += reaction_intensity(velocity, net, fuels.heat_btu_lb, damping, mineral_damping())
    return total


def cured_fraction(live_moisture_herb: ArrayLike) -> Floats:
    """Share of the herb load that has cured (fraction), at a live herb moisture (fraction).

    All of it at 30 % moisture, none at 120 %: Scott & Burgan 2005, with BEHAVE's coefficients.
    """
    return np.clip(1.333 - 1.11 * np.asarray(live_moisture_herb, dtype=np.float64), 0.0, 1.0)


def cured_loads(load_lb_ft2: Floats, dynamic: NDArray[np.bool_],
                live_moisture_herb: ArrayLike) -> Floats:
    """Loads per class [6, ...] (lb/ft2) after the herbs of dynamic models have cured."""
    cured = np.where(dynamic, cured_fraction(live_moisture_herb), 0.0)
    shape = np.broadcast_shapes(load_lb_ft2.shape[1:], cured.shape)
    load = np.broadcast_to(load_lb_ft2, (6, *shape)).copy()
    load[_CURED_HERB] += cured * load[_LIVE_HERB]
    load[_LIVE_HERB] *= 1.0 - cured
    return load


def surface_area(load_lb_ft2: Floats, sav_ft: Floats) -> Floats:
    """Fuel surface per ground area and class, ft2/ft2 (eq. 53)."""
    return load_lb_ft2 * sav_ft / PARTICLE_DENSITY_LB_FT3


def _shares(area: Floats) -> Floats:
    """Each class's share of its category's surface (eqs. 54, 56); 0 where there is none."""
    total = area.sum(axis=0)
    return area / np.where(total > 0.0, total, 1.0)


def characteristic_sav(area: Floats, sav_ft: Floats) -> Floats:
    """Characteristic surface-area-to-volume ratio, 1/ft (eqs. 71, 72): the mean by surface."""
    return (area * sav_ft).sum(axis=0) / area.sum(axis=0)


def packing_ratio(load_lb_ft2: Floats, depth_ft: Floats) -> Floats:
    """Share of the fuel bed's volume that is fuel (eq. 31), all classes together."""
    return load_lb_ft2.sum(axis=0) / (depth_ft * PARTICLE_DENSITY_LB_FT3)


def optimum_packing_ratio(sigma_ft: Floats) -> Floats:
    """Packing ratio of the greatest reaction velocity (eq. 37); sigma in 1/ft."""
    return 3.348 * sigma_ft**-0.8189


def reaction_velocity(sigma_ft: Floats, relative_packing: Floats) -> Floats:
    """Optimum reaction velocity, 1/min (eqs. 36, 38); exponent A of Albini 1976 for eq. 39."""
    power = sigma_ft**1.5
    maximum = power / (495.0 + 0.0594 * power)
    exponent = 133.0 * sigma_ft**-0.7913
    return maximum * relative_packing**exponent * np.exp(exponent * (1.0 - relative_packing))


def net_load(load_lb_ft2: Floats, sav_ft: Floats, shares: Floats) -> Floats:
    """Net load of one category, lb/ft2: mineral-free (Albini 1976 for eq. 24), by size class.

    Classes of one size share a weight, the sum of their surface shares; what is coarser than
    the coarsest size class has none (Albini 1976).
    """
    size = np.digitize(sav_ft, SIZE_CLASS_EDGES_FT)
    same = (size[:, None] == size[None, :]) & (size > 0)[None, :]
    weights = (same * shares[None]).sum(axis=1)
    return (weights * load_lb_ft2).sum(axis=0) * (1.0 - TOTAL_MINERAL)


def live_extinction_moisture(load_lb_ft2: Floats, sav_ft: Floats, moisture: Floats,
                             dead_extinction_moisture: Floats) -> Floats:
    """Live moisture of extinction, fraction (eq. 88 with the fine-fuel weights of Albini 1976).

    Never below the dead one. Arrays per class [6, ...]; without live fuel its value is not used.
    """
    fine_dead = load_lb_ft2[DEAD] * np.exp(-138.0 / sav_ft[DEAD])
    fine_live = (load_lb_ft2[LIVE] * np.exp(-500.0 / sav_ft[LIVE])).sum(axis=0)
    total_dead = fine_dead.sum(axis=0)
    dead_moisture = (fine_dead * moisture[DEAD]).sum(axis=0) / total_dead
    ratio = total_dead / np.where(fine_live > 0.0, fine_live, 1.0)
    extinction = 2.9 * ratio * (1.0 - dead_moisture / dead_extinction_moisture) - 0.226
    return np.maximum(extinction, dead_extinction_moisture)


def moisture_damping(moisture: Floats, extinction_moisture: Floats) -> Floats:
    """Damping by moisture, 1 when dry and 0 from extinction on (eq. 29); fractions."""
    ratio = moisture / extinction_moisture
    # At extinction the cubic leaves a rounding error instead of 0.
    return np.where(ratio < 1.0, 1.0 - 2.59 * ratio + 5.11 * ratio**2 - 3.52 * ratio**3, 0.0)


def mineral_damping(effective_mineral: float = EFFECTIVE_MINERAL) -> float:
    """Damping by minerals, at most 1 (eq. 30); silica-free mineral content as a fraction."""
    return min(0.174 * effective_mineral**-0.19, 1.0)


def reaction_intensity(velocity_1_min: Floats, net_load_lb_ft2: Floats, heat_btu_lb: Floats,
                       moisture_damp: Floats, mineral_damp: float) -> Floats:
    """Reaction intensity of one category, BTU/ft2/min (eq. 27)."""
    return velocity_1_min * net_load_lb_ft2 * heat_btu_lb * moisture_damp * mineral_damp


def propagating_flux_ratio(sigma_ft: Floats, packing: Floats) -> Floats:
    """Share of the reaction intensity that heats the fuel ahead (eq. 42); sigma in 1/ft."""
    flux = np.exp((0.792 + 0.681 * np.sqrt(sigma_ft)) * (packing + 0.1))
    return flux / (192.0 + 0.2595 * sigma_ft)


def heat_sink(bulk_density_lb_ft3: Floats, area: Floats, sav_ft: Floats,
              moisture: Floats) -> Floats:
    """Heat that brings the fuel to ignition, BTU/ft3 (eqs. 12, 14, 77); arrays [6, ...]."""
    per_mass = (250.0 + 1116.0 * moisture) * np.exp(-138.0 / sav_ft)
    return bulk_density_lb_ft3 * (area * per_mass).sum(axis=0) / area.sum(axis=0)


def wind_terms(sigma_ft: Floats, relative_packing: Floats) -> tuple[Floats, Floats]:
    """(exponent, coefficient) of the wind factor (eqs. 47-50).

    phi_wind = coefficient * (midflame wind in ft/min) ** exponent; sigma in 1/ft.
    """
    exponent = 0.02526 * sigma_ft**0.54
    scale = 7.47 * np.exp(-0.133 * sigma_ft**0.55)
    return exponent, scale * relative_packing ** (-0.715 * np.exp(-3.59e-4 * sigma_ft))


def wind_factor(bed: FuelBed, midflame_wind_ft_min: Floats) -> Floats:
    """phi_wind, dimensionless, at a midflame wind in ft/min (eq. 47)."""
    return bed.wind_coefficient * midflame_wind_ft_min**bed.wind_exponent


def effective_wind_speed(bed: FuelBed, factor: Floats) -> Floats:
    """The midflame wind (ft/min) that alone would have `factor`: eq. 47 solved for the wind."""
    return (factor / bed.wind_coefficient) ** (1.0 / bed.wind_exponent)


def slope_coefficient(packing: Floats) -> Floats:
    """phi_slope per squared tangent of the slope, dimensionless (eq. 51)."""
    return 5.275 * packing**-0.3


def residence_time(sigma_ft: Floats) -> Floats:
    """Flaming residence time, min (Anderson 1969); sigma in 1/ft."""
    return 384.0 / sigma_ft


def byram_intensity(heat_per_area_btu_ft2: Floats, rate_ft_min: Floats) -> Floats:
    """Fireline intensity, BTU/ft/s (Byram 1959): heat per area times rate of spread."""
    return heat_per_area_btu_ft2 * rate_ft_min / 60.0


def flame_length(intensity_btu_ft_s: Floats) -> Floats:
    """Flame length, ft, at a fireline intensity in BTU/ft/s (Byram 1959)."""
    return 0.45 * intensity_btu_ft_s**0.46
