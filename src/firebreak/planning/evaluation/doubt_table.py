"""Plans under doubt as people read them."""

import numpy as np

from firebreak.checks import counted
from firebreak.planning.evaluation.doubt import DoubtResult, order_kept
from firebreak.planning.evaluation.tables import aligned
from firebreak.settings.doubt import BREACH_FACTOR, MOISTURE_FACTOR, RATE_SIGMA, WIND_TURN_DEG

_WORDS = {"rates": "rates of spread", "wind": "wind direction", "moisture": "dead moisture",
          "breach": "breaches", "all": "all together"}
HEADER = ("perturbed", "untreated fire, ha")


def doubt_table(result: DoubtResult) -> str:
    """What each plan saves under each kind of doubt, and whether the order of plans holds."""
    draws = counted(draws_of(result), "draw")
    lines = [f"Under doubt, {draws} of each, the same for all plans; plans, "
             "ignitions, durations and values as they were:", what_is_drawn(result), ""]
    lines += [*aligned([HEADER + result.methods, *doubt_rows(result)]), "",
              "Reductions: mean (lowest to highest draw). An area: what a mean fire burns without "
              "breaks."]
    lines += [f"{_WORDS[kind]}: left out, as {why}" for kind, why in result.left_out.items()]
    return "\n".join([*lines, *doubt_verdict(result)])


def what_is_drawn(result: DoubtResult) -> str:
    """How far rates, wind, moisture and, where there are any, breaches are moved."""
    breaches = (f"; breaches x {1 / BREACH_FACTOR:g} to {BREACH_FACTOR:g}"
                if "breach" in result.by_kind else "")
    return (f"rates of spread by fuel, log-normal (sigma ln {np.exp(RATE_SIGMA):.2f}); wind turned "
            f"by up to {WIND_TURN_DEG:g} degrees; dead moisture x {1 / MOISTURE_FACTOR:g} to "
            f"{MOISTURE_FACTOR:g}{breaches}")


def draws_of(result: DoubtResult) -> int:
    """Draws of each kind of doubt."""
    return int(next(iter(result.by_kind.values())).burned_ha.size)


def doubt_rows(result: DoubtResult) -> list[tuple[str, ...]]:
    """A row for nothing perturbed and for each kind of doubt, below `HEADER` and the methods."""
    rows = [("nothing", f"{result.own_burned_ha:.4g}", *(f"{one:.3f}" for one in result.own))]
    return [*rows, *((_WORDS[kind], _span(own.burned_ha, ".4g"),
                      *(_span(own.reduction[:, k], ".3f") for k in range(len(result.methods))))
                     for kind, own in result.by_kind.items())]


def _span(values: np.ndarray, digits: str) -> str:
    return f"{values.mean():{digits}} ({values.min():{digits}} to {values.max():{digits}})"


def doubt_verdict(result: DoubtResult) -> list[str]:
    """Whether plans still save and keep their order with all perturbed together."""
    if not result.methods:
        return ["No plan treats a cell."]
    own = result.by_kind["all"].reduction
    saves = [f"{name} in {int((own[:, k] > 0.0).sum())}" for k, name in enumerate(result.methods)]
    draws = counted(own.shape[0], "draw")
    lines = [f"Of {draws} with all together, a plan saves: {', '.join(saves)}."]
    pairs = list(order_kept(result, "all"))
    if pairs:
        lines.append("The better plan stays the better one: " + ", ".join(
            f"{better} over {worse} in {round(share * own.shape[0])}"
            for better, worse, share in pairs) + ".")
    return lines
