"""What breaks do to fires, in words, by kind: pages and the explorer say the same."""

from firebreak.fire import FireConditions

_RULES = {
    "wilson": "Fire crosses them with a probability that rises with its intensity (Wilson 1988), "
              "drawn once for each fire and cell.",
    "wilson-trees": "Fire crosses them with a probability that rises with its intensity (Wilson "
                    "1988, trees beside the break), drawn once for each fire and cell.",
    "flame-length": "Fire crosses them where its flames are longer than two thirds of their width."}


def what_breaks_do(conditions: FireConditions, cell_size_m: float) -> list[str]:
    """Sentences on what the breaks of these conditions do on cells of this side."""
    if conditions.treatment.kind == "shaded":
        return [*_shaded(conditions), *_around(conditions)]
    return [*_hard(conditions, cell_size_m), *_around(conditions)]


def _shaded(conditions: FireConditions) -> list[str]:
    code = conditions.treatment.fuel_model
    fuel = "the least load of its kind" if code is None else f"fuel {code}"
    return [f"Breaks are shaded: they do not stop fire. A treated cell burns as another fuel "
            f"({fuel}, under thinned and raised crowns), as a rule more slowly and less intensely, "
            "and fire can cross it.",
            "What fuel a treatment leaves is an assumption, not a measurement."]


def _hard(conditions: FireConditions, cell_size_m: float) -> list[str]:
    width = conditions.treatment.width_m
    narrow = width is not None and width < cell_size_m
    made = (f"Breaks are hard and narrow: strips of bare ground {width:g} m wide in cells of "
            f"{cell_size_m:g} m; the rest of such a cell burns." if narrow else
            f"Breaks are hard: bare ground as wide as the cell, {cell_size_m:g} m.")
    if conditions.breach != "never":
        return [made, _RULES[conditions.breach]]
    words = [made, "Fire does not cross them, however intense it is."]
    if conditions.spotting is None:
        words.append("Real breaks leak, so the reductions are upper bounds.")
    return words


def _around(conditions: FireConditions) -> list[str]:
    words = []
    if conditions.leak and conditions.treatment.kind == "hard":
        words.append("Fire passes between two breaks that touch only at a corner.")
    if conditions.spotting is not None:
        words.append("Embers of crown fire fly over breaks.")
    return [*words, "An ignition inside a treated cell still burns and spreads."]
