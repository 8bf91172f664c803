"""Worth of each part of the learner: variants trained with the same budget of env steps.

    .venv/bin/python benchmarks/ablation.py [--seeds 3] [--variants base n-step-3] [--table]

Every variant is a list of changes to a base configuration (`--config`, `--episodes`). Each finished
run adds one JSON line to `--out`, and a line that is there already is not run again, so a stopped
ablation goes on where it was. Weights are judged at 80, 90 and 100 % of the episodes
(`--judged-at`), not where they were best, and on validation landscapes alone. The twin of a run
(`agent.twin`) has a line of its own. `--add NAME:key=value,key=value` adds a variant.
Names joined by "+" are trained together. `--screen` trains twelve such sets with each seed, in
which each of eleven variants is half of the time there and half of the time not, whatever the
others are: twelve runs measure each as well as six runs with it and six without. `--table` prints
the tables of what is finished and trains nothing.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import stats

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.policy_file import save_policy
from firebreak.api.shared.executor_options import use_threads
from firebreak.checks import InputError, fail
from firebreak.planning.evaluation.intervals import bounds_over_maps
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.player import returns_of
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.metrics import JsonLines, read_rows

BASE = "base"
TWIN = "twin of "
"""Before the name of the variant beside which a twin learned."""
JUDGED_AT = (0.8, 0.9, 1.0)
"""Shares of the episodes at which the policy is judged, if not given; a run's result is their
mean."""
VARIANTS: dict[str, list[str]] = {
    BASE: [],
    "discount-0": ["agent.discount_end=0.0"],
    "early-decay": ["agent.decay_begin=1500", "agent.decay_finish=3300"],
    "n-step-3": ["agent.n_step=3"],
    "discount-0.95": ["agent.discount_end=0.95"],
    "discount-0.8": ["agent.discount_end=0.8"],
    "width-48": ["agent.width=48"],
    "no-symmetries": ["agent.symmetries=false"],
    "batch-128": ["agent.batch_size=128"],
    "guided-0": ["agent.guided=0.0"],
    "discount-0.97": ["agent.discount_end=0.97"],
    "no-target": ["agent.target_period=1"],
    # Ten steps of eight environments, from which as many learner steps are made in all.
    "newest-rows": ["replay.capacity=80", "train.learning_starts=72",
                    "train.updates_per_env_step=0.392"],
}


SCREENED = ("n-step-3", "early-decay", "discount-0.95", "guided-0", "no-symmetries", "width-48",
            "batch-128")


class Run(NamedTuple):
    """One run to train: a variant's name and changes, and the seed."""

    variant: str
    changes: tuple[str, ...]
    seed: int


class Difference(NamedTuple):
    """Differences of a variant from the base: mean, and half of its 95 % interval."""

    mean: float
    half_width: float


def main() -> None:
    """Runs the command."""
    parser = _parser()
    try:
        run_all(parser.parse_args())
    except InputError as error:
        parser.error(str(error))


def run_all(args: argparse.Namespace) -> None:
    """Trains what the arguments name and the file does not hold, then prints the table."""
    rows = read_rows(args.out) if args.out.is_file() else []
    if not args.table:
        wanted = planned(args)
        done = {Run(row["variant"], tuple(row["changes"]), row["seed"]) for row in rows}
        log = JsonLines(args.out)
        if args.keep is not None:
            args.keep.mkdir(parents=True, exist_ok=True)
        for run in wanted:
            if run not in done:
                for row in train(args.config, run, args.judged_at, args.keep):
                    log.write(row)
                    rows.append(row)
                    print(f"{row['variant']} seed {run.seed}: {row['reduction']:.4f}, its first "
                          f"value {row['first_value']:.3f}, in {row['cpu_seconds']:.0f} CPU "
                          "seconds", flush=True)
        log.close()
    print(table(rows))
    if any("+" in row["variant"] for row in rows):
        print(f"\n{effects_table(rows)}")


def planned(args: argparse.Namespace) -> list[Run]:
    """The runs that the arguments name, one seed of every variant after another.

    Raises:
        InputError: an unknown variant.
    """
    base = [f"train.episodes={args.episodes}", f"evaluation.every_episodes={args.episodes}",
            f"evaluation.validation_landscapes={args.landscapes}", "evaluation.test_landscapes=1",
            *args.set]
    variants = VARIANTS | dict(_added(text) for text in args.add)
    if args.screen:
        named = [(seed, name) for seed in range(args.seeds)
                 for name in screen(SCREENED, mirrored=seed % 2 == 1)]
    else:
        named = list(product(range(args.seeds), args.variants or variants))
    return [Run(name, tuple(base + _changes(variants, name)), seed) for seed, name in named]


def train(config_name: str, run: Run, judged_at: Sequence[float],
          keep: Path | None = None) -> list[dict[str, Any]]:
    """Trains one run and judges its last weights on the validation landscapes: a row, and one
    before it of its twin, if it has any.

    keep: folder that gets the last weights, each a policy file VARIANT-SEED.safetensors.
    """
    config = load_config(config_name, [*run.changes, f"seed={run.seed}"])
    use_threads(config.train.threads, config.train.torch_threads)
    wall, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        trainer = ParallelTrainer(config, make_splits(config, Path()), Path(folder))
        learners = {TWIN + run.variant: trainer.twin} if trainer.twin is not None else {}
        learners[run.variant] = trainer.agent
        judged: list[list[NDArray[np.float64]]] = []  # as often as asked, of each learner
        for _ in trainer.run():
            if trainer.episodes >= judged_at[len(judged)] * config.train.episodes:
                judged.append([_judged(trainer, learner) for learner in learners.values()])
            if len(judged) == len(judged_at):
                break
        values = [_first_value(trainer, learner) for learner in learners.values()]
        if keep is not None:
            for name, learner in learners.items():
                save_policy(keep / f"{name.replace(' ', '-')}-{run.seed}.safetensors",
                            learner.online_net, {"run": name, "seed": run.seed})
        trainer.close()
    common = {"changes": list(run.changes), "config": config_name, "env_steps": trainer.env_steps,
              "learner_steps": trainer.agent.learner_steps,
              "seconds": round(time.perf_counter() - wall, 1),
              "cpu_seconds": round(time.process_time() - cpu, 1)}
    return [{"variant": name, "seed": run.seed, "reduction": float(returns.mean()),
             "first_value": value, "returns": [round(float(one), 6) for one in returns], **common}
            for name, returns, value in zip(learners, np.mean(judged, axis=0), values, strict=True)]


def _judged(trainer: ParallelTrainer, learner: DQNAgent) -> NDArray[np.float64]:
    """Relative reductions [L] of the greedy policy as it is now."""
    return np.concatenate([returns_of(learner, arena.validation_env, arena.problems)
                           for arena in trainer.arenas])


def _first_value(trainer: ParallelTrainer, learner: DQNAgent) -> float:
    """Mean value of the greedy policy's first breaks on the validation landscapes, a share of the
    untreated loss: at discount 1 what it expects of its whole plans.
    """
    found = []
    for arena in trainer.arenas:
        env, problems = arena.validation_env, arena.problems
        for first in range(0, len(problems), env.num_envs):
            some = problems[first:first + env.num_envs]
            spare = env.num_envs - len(some)
            seen, info = env.reset(options={"problem": some + some[:1] * spare})
            values = learner.q_values(torch.from_numpy(seen)).numpy()
            best = np.where(info["action_mask"].astype(np.bool_), values, -np.inf).max(1)
            found.append(best[:len(some)])
    return round(float(np.concatenate(found).mean()), 4)


def returns_by_variant(rows: list[dict[str, Any]]) -> dict[str, dict[int, NDArray[np.float64]]]:
    """Variant -> seed -> relative reductions [L] on the validation landscapes."""
    found: dict[str, dict[int, NDArray[np.float64]]] = {}
    for row in rows:
        found.setdefault(row["variant"], {})[row["seed"]] = np.array(row["returns"])
    return found


def seed_variance(found: dict[str, dict[int, NDArray[np.float64]]]) -> tuple[float, int]:
    """Variance over seeds of a variant's difference to the base, one value for all variants (three
    seeds of one variant say little), and its degrees of freedom.
    """
    base = found[BASE]
    squares, freedom = 0.0, 0
    for name, runs in found.items():
        seeds = sorted(runs.keys() & base.keys())
        if name != BASE and len(seeds) > 1:
            means = np.array([(runs[s] - base[s]).mean() for s in seeds])
            squares += float(((means - means.mean())**2).sum())
            freedom += len(seeds) - 1
    return (squares / freedom, freedom) if freedom else (float("nan"), 0)


def difference(found: dict[str, dict[int, NDArray[np.float64]]], name: str) -> Difference | None:
    """A variant's paired difference to the base over seeds and landscapes; None without a seed that
    both have. The half-width joins the noise of seeds and that of landscapes.
    """
    paired = _paired(found, name)
    if paired is None:
        return None
    variance, freedom = seed_variance(found)
    landscapes = paired.mean(0).var(ddof=1) / paired.shape[1]
    spread = np.sqrt(variance / len(paired) + landscapes)
    factor = stats.t.ppf(0.975, freedom) if freedom else float("nan")
    return Difference(float(paired.mean()), float(factor * spread))


def _paired(found: dict[str, dict[int, NDArray[np.float64]]],
            name: str) -> NDArray[np.float64] | None:
    """Savings of a variant beyond the base's, by seed that both have and landscape [S, L]."""
    runs, base = found[name], found.get(BASE, {})
    seeds = sorted(runs.keys() & base.keys())
    return np.array([runs[s] - base[s] for s in seeds]) if seeds else None


def over_maps(found: dict[str, dict[int, NDArray[np.float64]]],
              name: str) -> tuple[float, float] | None:
    """95 % interval of a variant's difference to the base, averaged over seeds, over landscapes
    alone: of these runs, not of others.
    """
    paired = _paired(found, name)
    return None if paired is None else bounds_over_maps(paired.mean(0), 0)


def table(rows: list[dict[str, Any]]) -> str:
    """The finished runs as a Markdown table."""
    found = returns_by_variant(rows)
    lines = ["| variant | seeds | reduction | over seeds | difference to base | over maps "
             "| CPU s |",
             "|---|---|---|---|---|---|---|"]
    for name, runs in found.items():
        means = [one.mean() for one in runs.values()]
        apart = difference(found, name) if name != BASE else None
        bounds = over_maps(found, name) if name != BASE else None
        cpu = np.mean([row["cpu_seconds"] for row in rows if row["variant"] == name])
        lines.append(
            f"| {name} | {len(means)} | {np.mean(means):.4f} | {min(means):.4f} - {max(means):.4f}"
            f" | {_shown(apart)} | {'' if bounds is None else '{:+.4f} to {:+.4f}'.format(*bounds)}"
            f" | {cpu:.0f} |")
    return "\n".join(lines)


def screen(names: Sequence[str], mirrored: bool = False) -> list[str]:
    """The twelve sets of at most eleven variants in which any two are each there alone, together
    and not at all equally often; mirrored: what each set leaves out, so that pairs of variants that
    do not add up do not show as effects of a third.

    Source: Plackett & Burman (1946), The design of optimum multifactorial experiments.
    """
    first = [mark == "+" for mark in "++-+++---+-"]
    runs = [first[-shift:] + first[:-shift] for shift in range(11)] + [[False] * 11]
    return ["+".join(name for name, there in zip(names, run, strict=False)
                     if there != mirrored) or BASE for run in runs]


def effects(rows: list[dict[str, Any]]) -> dict[str, Difference]:
    """Gain of each variant, by least squares over all runs: sets of variants are taken to add up,
    and a seed (its landscapes, fires and first weights) to be as good or bad for all of them.

    The half-width joins the noise of runs (the residuals') and that of landscapes. Empty until
    there are more runs than variants. Twins are left out.
    """
    rows = [row for row in rows if not row["variant"].startswith(TWIN)]
    sets = [set(row["variant"].split("+")) - {BASE} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row["variant"].split("+")
                               if name != BASE))
    seeds = sorted({row["seed"] for row in rows})
    design = np.array([[*(name in one for name in names), *(row["seed"] == seed for seed in seeds)]
                       for one, row in zip(sets, rows, strict=True)], dtype=float)
    freedom = len(rows) - design.shape[1]
    if freedom < 1 or np.linalg.matrix_rank(design) < design.shape[1]:
        return {}
    returns = np.array([row["returns"] for row in rows])
    fitted = np.linalg.pinv(design) @ returns
    residuals = returns.mean(1) - (design @ fitted).mean(1)
    runs = np.diag(np.linalg.inv(design.T @ design)) * (residuals**2).sum() / freedom
    half = stats.t.ppf(0.975, freedom) * np.sqrt(runs + fitted.var(1, ddof=1) / returns.shape[1])
    return {name: Difference(float(fitted[k].mean()), float(half[k]))
            for k, name in enumerate(names)}


def effects_table(rows: list[dict[str, Any]]) -> str:
    """`effects` as a Markdown table."""
    lines = ["| variant | runs with it | what it adds, all runs |", "|---|---|---|"]
    for name, effect in effects(rows).items():
        count = sum(name in row["variant"].split("+") for row in rows)
        lines.append(f"| {name} | {count} | {_shown(effect)} |")
    return "\n".join(lines)


def _shown(apart: Difference | None) -> str:
    if apart is None:
        return ""
    known = np.isfinite(apart.half_width)
    return f"{apart.mean:+.4f}" + (f" ± {apart.half_width:.4f}" if known else "")


def _changes(variants: dict[str, list[str]], name: str) -> list[str]:
    for one in name.split("+"):
        if one not in variants:
            raise fail(expected=f"one of {', '.join(variants)}", given=one, where="--variants",
                       remedy="name one of them, or add it with --add NAME:key=value")
    return [change for one in name.split("+") for change in variants[one]]


def _added(text: str) -> tuple[str, list[str]]:
    name, colon, changes = text.partition(":")
    if not colon or "=" not in changes:
        raise fail(expected="NAME:key=value,key=value", given=text, where="--add",
                   remedy="write it like --add slow:agent.learning_rate=1e-4")
    return name, changes.split(",")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", default="quick", help="preset or TOML file of the base")
    parser.add_argument("--episodes", type=int, default=250, help="of every run")
    parser.add_argument("--landscapes", type=int, default=32, help="to validate on")
    parser.add_argument("--seeds", type=int, default=3, help="runs of every variant")
    parser.add_argument("--variants", nargs="*", help="names, in this order; all if not given")
    parser.add_argument("--add", action="append", default=[], help="NAME:key=value,key=value")
    parser.add_argument("--set", action="append", default=[], help="change the base, key=value")
    parser.add_argument("--judged-at", type=float, nargs="+", default=JUDGED_AT,
                        help="shares of the episodes, rising")
    parser.add_argument("--keep", type=Path, help="folder for the last weights of every run")
    parser.add_argument("--out", type=Path, default=Path("outputs/ablation.jsonl"))
    parser.add_argument("--screen", action="store_true", help="sets of variants, not one by one")
    parser.add_argument("--table", action="store_true", help="only print the table")
    return parser


if __name__ == "__main__":
    main()
