"""Reads one vector file by GDAL and prints it as JSON; run as a program, in a process of its own.

Usage: vector_child.py FILE BYTES MOST LAYER [ATTRIBUTE]. The memory that the process may take is
BYTES, what it may print MOST; LAYER may be empty where there is one; the shapes come with the
attribute that is named, TREATMENT and the text of those of NAMES. Nothing of firebreak is imported:
the process must start fast, and what fails in it fails in it alone.
"""

import contextlib
import io
import json
import sys

_NOT_NEEDED = ("geopandas", "pandas", "pyarrow", "pyproj", "shapely")
NAMES = ("name", "NAME", "FULLNAME")
"""Attributes that name a shape, the first of them that has a text."""
TREATMENT = "treatment"
"""The attribute, in letters of any case, that says how a break is made."""


def main(path: str, limit_bytes: int, most_bytes: int, layer: str,
         attribute: str | None = None) -> int:
    """Print one line with the reference system and the names of all attributes, then the shapes as
    GeoJSON; or one line with all layers where it is not clear which.
    """
    # pyogrio loads these where they are installed, which takes most of a second.
    sys.modules.update(dict.fromkeys(_NOT_NEEDED))  # type: ignore[arg-type]
    from pyogrio import list_layers, raw, read_info

    with contextlib.suppress(ImportError, ValueError, OSError):  # where the system has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        layers = [str(name) for name, geometry in list_layers(path) if geometry is not None]
        if layers and (layer not in layers if layer else len(layers) > 1):
            print(json.dumps({"layers": layers}))
            return 0
        chosen = layer or (layers[0] if layers else None)
        info = read_info(path, layer=chosen)
        there = [str(name) for name in info["fields"]]
        wanted = [name for name, kind in zip(there, info["dtypes"], strict=True)
                  if name == attribute or name.lower() == TREATMENT
                  or (name in NAMES and kind == "object")]
        meta, _, shapes, columns = raw.read(path, layer=chosen, columns=wanted,
                                               force_2d=True)
        known = [shape is not None for shape in shapes]
        kept = shapes[known]
        text = io.BytesIO()  # pyogrio reads shapes as bytes; GDAL itself makes text of them
        if kept.size and meta["crs"] is not None:
            raw.write(text, kept, [column[known] for column in columns], wanted, driver="GeoJSON",
                      geometry_type=meta["geometry_type"], crs=meta["crs"],
                      layer_options={"COORDINATE_PRECISION": "15"})
    except MemoryError:
        print(f"more than {limit_bytes / 1e9:g} GB of memory needed", file=sys.stderr)
        return 1
    except Exception as error:  # of damaged files pyogrio raises also what is no error of its own
        print(" ".join(str(error).split())[:300] or type(error).__name__, file=sys.stderr)
        return 1
    if text.tell() > most_bytes:
        print(f"more than {most_bytes / 1e6:g} MB of shapes: keep those on the map",
              file=sys.stderr)
        return 1
    print(json.dumps({"crs": meta["crs"], "shapes": int(kept.size), "attributes": there}),
          flush=True)
    sys.stdout.buffer.write(text.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:6]))
