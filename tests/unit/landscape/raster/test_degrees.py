"""Where cells lie on the Earth."""

from dataclasses import replace

import numpy as np
import pytest
from rasterio.crs import CRS

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.degrees import centre_of, degrees_in_words, degrees_of
from firebreak.landscape.synthetic.generate import generate

UTM_11N = CRS.from_epsg(32611).to_wkt()


@pytest.fixture
def land() -> Landscape:
    """60 x 40 cells of 100 m whose west edge is the zone's middle, 117 degrees west."""
    return replace(generate(1, (60, 40)), crs=UTM_11N,
                   transform=(100.0, 0.0, 500_000.0, 0.0, -100.0, 6_000.0))


def test_the_middle_of_a_zone_and_the_equator_are_where_they_are(land: Landscape) -> None:
    found = degrees_of(land, [60.0, 0.0], [0.0, 0.0])
    assert found is not None
    east, north = found
    assert east.tolist() == pytest.approx([-117.0, -117.0], abs=1e-9)
    assert north[0] == pytest.approx(0.0, abs=1e-9)
    # 6 km along a meridian at the equator: 110.574 km for a degree, at the zone's scale of 0.9996.
    assert north[1] == pytest.approx(6.0 / 110.574 / 0.9996, rel=1e-4)


def test_the_centre_is_half_way(land: Landscape) -> None:
    centre, corners = centre_of(land), degrees_of(land, [0.0, 60.0], [0.0, 40.0])
    assert centre is not None
    assert corners is not None
    assert centre == pytest.approx([float(np.mean(part)) for part in corners], abs=1e-5)


def test_without_a_reference_system_there_are_no_degrees(land: Landscape) -> None:
    bare = replace(land, crs=None)
    assert degrees_of(bare, 1.0, 1.0) is None
    assert centre_of(bare) is None


@pytest.mark.parametrize(("place", "words"), [
    ((-117.6561, 33.731), "33.731° N, 117.656° W"), ((2.5, -0.25), "0.250° S, 2.500° E")])
def test_places_are_told_in_words(place: tuple[float, float], words: str) -> None:
    assert degrees_in_words(place) == words
