"""Plans under doubt: what they still save where the fire model and the weather are wrong.

Plans, ignitions, durations and values are those of the scene as it is. A draw multiplies the rate
of spread of each fuel, turns the wind, dries or wets the dead fuel, and makes breaches more or less
likely; each of these alone and all together, the same draws for all plans.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, counted
from firebreak.env.storage.problem import nothing_burned
from firebreak.fire import Perturbation, Scene, burn, perturbed
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.judging import TEST_SET
from firebreak.planning.methods import method_of
from firebreak.seeding import generator
from firebreak.settings.planning import (
    BREACH_FACTOR,
    DOUBTS,
    MOISTURE_FACTOR,
    RATE_SIGMA,
    TRUST_DRAWS,
    TRUST_FIRES,
    TRUST_RIVALS,
    WIND_TURN_DEG,
    Doubt,
)

Floats = NDArray[np.float64]
HEADER = ("perturbed", "untreated fire, ha")
_WORDS = {"rates": "rates of spread", "wind": "wind direction", "moisture": "dead moisture",
          "breach": "breaches", "all": "all together"}


class Doubted(NamedTuple):
    """Savings of plans under one kind of doubt.

    Attributes:
        reduction: f64 [draws, methods].
        burned_ha: f64 [draws], what a mean fire burns without breaks.
    """

    reduction: Floats
    burned_ha: Floats


class DoubtResult(NamedTuple):
    """Plans under doubt.

    Attributes:
        methods: names of the plans that treat something.
        own: f64 [methods], what each saves with nothing perturbed. own_burned_ha: what burns then.
        by_kind: of each kind of doubt that applies.
    """

    methods: tuple[str, ...]
    own: Floats
    own_burned_ha: float
    by_kind: dict[Doubt, Doubted]


def doubt(scene: Scene, plans: Mapping[str, Plan], test_fires: int, seed: int, draws: int,
          report: Reporter = no_report) -> DoubtResult:
    """Burns the test fires of a scene under each plan, by method, in every perturbed world.

    report: takes perturbed worlds as they are done.

    Raises:
        InputError: nothing burns, or nothing of value, in a perturbed world.
    """
    treating = {name: plan for name, plan in plans.items()
                if method_of(name).treats and plan.cells.size}
    fires = scene.fires(TEST_SET, test_fires)

    def saved_in(world: Scene) -> tuple[list[float], float]:
        """The saving of each plan in a world, and the hectares that a mean fire burns there."""
        before = burn(world, fires, want="statistics")
        whole = float(before.loss.mean())
        if not whole > 0.0:
            raise nothing_burned(world)
        left = [float(burn(world, fires, plan.break_mask()).loss.mean())
                for plan in treating.values()]
        area = float(before.burn_probability.sum()) * scene.landscape.cell_size_m**2 / 1e4
        return [1.0 - one / whole for one in left], area

    own, own_area = saved_in(scene)
    by_kind: dict[Doubt, Doubted] = {}
    for kind in _applying(scene):
        found = []
        for draw in range(draws):
            found.append(saved_in(perturbed(scene, change_of(scene, kind, draw, seed))))
            report(1)
        by_kind[kind] = Doubted(np.array([saved for saved, _ in found]),
                                np.array([area for _, area in found]))
    return DoubtResult(tuple(treating), np.array(own), own_area, by_kind)


def trust_in(scene: Scene, plan: Plan, evaluation: Evaluation, seed: int,
             report: Reporter = no_report, aside: Collection[str] = ()) -> DoubtResult | str:
    """A plan and the methods that save most beside it, under few draws of doubt on few test fires;
    or in a sentence why not.

    What a chosen method plans by itself is not among them: it is nearly the plan.

    report: takes perturbed worlds, `worlds(scene, TRUST_DRAWS)` of them; aside: names of plans
    that are no method's rival plan.
    """
    if not plan.cells.size:
        return "The plan treats nothing."
    others = sorted((name for name, own in evaluation.plans[0].items()
                     if name not in (plan.label, plan.method, *aside) and own.cells.size
                     and not method_of(name).stochastic),
                    key=lambda name: -evaluation.methods[name].reduction)
    made = {plan.label: plan} | {name: evaluation.plans[0][name]
                                 for name in others[:TRUST_RIVALS]}
    try:
        return doubt(scene, made, min(TRUST_FIRES, evaluation.test_fires), seed, TRUST_DRAWS,
                     report)
    except InputError as error:  # so dry a fuel can be drawn so wet that nothing burns
        return f"Not judged under doubt: {error}."


def worlds(scene: Scene, draws: int) -> int:
    """Number of perturbed worlds that `doubt` burns."""
    return draws * len(_applying(scene))


def _applying(scene: Scene) -> list[Doubt]:
    breached = (scene.field.breaks.breach > 0.0).any()
    return [kind for kind in DOUBTS if kind != "breach" or breached]


def change_of(scene: Scene, kind: Doubt, draw: int, seed: int) -> Perturbation:
    """A draw of a kind of doubt; what is drawn alone is also what is drawn together."""
    codes = sorted(scene.landscape.fuels.burnable_codes.tolist())

    def rng(name: str) -> np.random.Generator:
        return generator(seed, "perturb", name, draw)

    def factor(name: str, most: float) -> float:
        return float(most ** rng(name).uniform(-1.0, 1.0))

    whole = Perturbation(
        tuple(zip(codes, np.exp(rng("rates").normal(0.0, RATE_SIGMA, len(codes))).tolist(),
                  strict=True)),
        float(rng("wind").uniform(-WIND_TURN_DEG, WIND_TURN_DEG)),
        factor("moisture", MOISTURE_FACTOR), factor("breach", BREACH_FACTOR))
    return {"rates": Perturbation(rate_factors=whole.rate_factors),
            "wind": Perturbation(wind_turn_deg=whole.wind_turn_deg),
            "moisture": Perturbation(dead_moisture=whole.dead_moisture),
            "breach": Perturbation(breach=whole.breach), "all": whole}[kind]


def order_kept(result: DoubtResult, kind: Doubt) -> Iterator[tuple[str, str, float]]:
    """Pairs of methods, the better one first, and the share of the draws in which it stays so; of
    two that save the same, such as one plan twice, none is the better.
    """
    order = np.argsort(-result.own, kind="stable").tolist()
    saved = result.by_kind[kind].reduction
    for place, better in enumerate(order):
        for worse in order[place + 1:]:
            if result.own[better] > result.own[worse]:
                share = float(np.mean(saved[:, better] > saved[:, worse]))
                yield result.methods[better], result.methods[worse], share


def what_is_drawn(result: DoubtResult) -> str:
    """Say how far rates, wind, moisture and, where there are any, breaches are moved."""
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
    """Say whether plans still save and keep their order with all perturbed together."""
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
