"""Makes the outlines of countries in which the report shows where a map lies.

    python scripts/make_outlines.py NATURAL_EARTH [OUT]

NATURAL_EARTH: ne_110m_admin_0_countries, or the same polygons under another name, such as
naturalearth_lowres. Natural Earth is in the public domain
(https://www.naturalearthdata.com/about/terms-of-use/). OUT is by default the file of the package.
Needs the extra `notebook`.
"""

import io
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.files import write_bytes

OUT = Path(__file__).resolve().parents[1] / "src/firebreak/report/figures/countries.npz"


def outer_rings(source: Path) -> list[NDArray[np.int16]]:
    """The outer ring [n, 2] of each polygon: longitude, latitude, hundredths of a degree."""
    import geopandas

    parts = geopandas.read_file(source).to_crs(4326).geometry.explode()
    return [np.rint(100.0 * np.array(part.exterior.coords)[:, :2]).astype(np.int16)
            for part in parts]


def main() -> int:
    """Writes the file."""
    rings = outer_rings(Path(sys.argv[1]))
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else OUT
    starts = np.cumsum([0, *(len(ring) for ring in rings[:-1])]).astype(np.int32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, centidegrees=np.concatenate(rings), starts=starts)
    write_bytes(out, buffer.getvalue())
    print(f"{out}: {len(rings)} rings, {out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
