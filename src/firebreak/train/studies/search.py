"""Configurations to try: the points of a grid in a drawn order, or Optuna's proposals."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median
from types import ModuleType
from typing import Any, Protocol

from firebreak.checks import fail, install
from firebreak.files import made_folder
from firebreak.seeding import generator, integer_seed
from firebreak.train.config.load import checked, tree_of
from firebreak.train.config.schema import RunConfig

Changes = dict[str, Any]
"""Values by key of the configuration, such as {"agent.n_step": 3}."""

TRIALS_TO_COMPARE = 4
"""Finished trials before one is given up."""

JOURNAL = "optuna-journal.log"


class Search(Protocol):
    """Proposes trials. `report` tells the mean over the folds so far and answers whether to give
    the trial up; `finish` tells that it is done. All may be called again after a stop.
    """

    name: str

    def ask(self, trial: int) -> Changes: ...

    def report(self, trial: int, scores: list[float]) -> bool: ...

    def finish(self, trial: int, scores: list[float], pruned: bool) -> None: ...


class GridSearch:
    """Every combination of the values listed, in an order drawn from the seed.

    Raises:
        InputError: more trials than combinations.
    """

    name = "grid"

    def __init__(self, config: RunConfig) -> None:
        keys, values = list(config.trials.search), list(config.trials.search.values())
        points = [dict(zip(keys, point, strict=True)) for point in itertools.product(*values)]
        if config.trials.trials > len(points):
            raise fail(expected=f"at most {len(points)} trials, as many as the grid has points",
                       given=f"{config.trials.trials}", where="--trials",
                       remedy="list more values in trials.search, or use --search optuna")
        order = generator(config.seed, "grid").permutation(len(points)).tolist()
        self.points = [points[place] for place in order]
        self.prune = config.trials.prune
        self._finished: dict[int, list[float]] = {}

    def ask(self, trial: int) -> Changes:
        """The next point."""
        return self.points[trial]

    def report(self, trial: int, scores: list[float]) -> bool:
        """Return whether the mean so far is below that of half the finished trials, over these
        folds.
        """
        others = [own[:len(scores)] for number, own in self._finished.items()
                  if number < trial and len(own) >= len(scores)]
        return (self.prune and len(others) >= TRIALS_TO_COMPARE and len(scores) > 1
                and fmean(scores) < median(map(fmean, others)))

    def finish(self, trial: int, scores: list[float], pruned: bool) -> None:
        """Remembers the scores of a trial that went to its end."""
        if not pruned:
            self._finished[trial] = scores


class OptunaSearch:
    """Optuna's tree-structured Parzen estimator and median pruner, journal on disk.

    The sampler of a trial is drawn from (seed, trial), so a search that was stopped goes on as if
    it had not been.
    """

    name = "optuna"

    def __init__(self, config: RunConfig, folder: Path) -> None:
        self._optuna = imported()
        self.config = config
        self._optuna.logging.set_verbosity(self._optuna.logging.WARNING)
        made_folder(folder)
        self._journal = folder / JOURNAL
        backend = self._optuna.storages.journal.JournalFileBackend(str(self._journal))
        pruner = (self._optuna.pruners.MedianPruner(TRIALS_TO_COMPARE, n_warmup_steps=1)
                  if config.trials.prune else self._optuna.pruners.NopPruner())
        with self._reading():
            self.study = self._optuna.create_study(
                study_name="firebreak", storage=self._optuna.storages.JournalStorage(backend),
                direction="maximize", load_if_exists=True, pruner=pruner)

    def ask(self, trial: int) -> Changes:
        """A proposal; of a trial that was begun before, the same again."""
        with self._reading():
            own = self._trial(trial)
            return {key: self._suggested(own, key, values)
                    for key, values in self.config.trials.search.items()}

    def report(self, trial: int, scores: list[float]) -> bool:
        """Return whether Optuna gives the trial up."""
        with self._reading():
            own = self._trial(trial)
            if len(scores) - 1 not in self._frozen(trial).intermediate_values:
                own.report(fmean(scores), len(scores) - 1)
            return bool(own.should_prune())

    def finish(self, trial: int, scores: list[float], pruned: bool) -> None:
        """Ends a trial."""
        states = self._optuna.trial.TrialState
        with self._reading():
            if not self._frozen(trial).state.is_finished():
                self.study.tell(trial, None if pruned else fmean(scores),
                                state=states.PRUNED if pruned else states.COMPLETE)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Optuna takes in its journal at every call, and says of a damaged one whatever comes."""
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            raise fail(expected="a journal that Optuna can read", given=f"'{error!r}'",
                       where=str(self._journal),
                       remedy="restore it from a copy, or start a new search with another "
                              "--out") from error

    def _trial(self, number: int) -> Any:
        self.study.sampler = self._optuna.samplers.TPESampler(
            seed=integer_seed(self.config.seed, "optuna", number) % 2**31,
            n_startup_trials=TRIALS_TO_COMPARE)
        if number < len(self.study.get_trials(deepcopy=False)):
            return self._optuna.trial.Trial(self.study, self._frozen(number)._trial_id)
        return self.study.ask()

    def _frozen(self, number: int) -> Any:
        return self.study.get_trials(deepcopy=False)[number]

    def _suggested(self, trial: Any, key: str, values: list[Any]) -> Any:
        if any(isinstance(value, str | bool) for value in values) or len(set(values)) == 1:
            return trial.suggest_categorical(key, values)
        low, high = min(values), max(values)
        if all(isinstance(value, int) for value in values):
            return trial.suggest_int(key, low, high)
        return trial.suggest_float(key, low, high, log=low > 0 and high >= 4 * low)


def make_search(name: str, config: RunConfig, folder: Path) -> Search:
    """The search of a name: "grid", "optuna", or "auto", which takes Optuna where it is installed.

    Raises:
        InputError: Optuna is asked for and not installed, or the grid has too few points.
    """
    if name == "auto":
        name = "grid" if find_spec("optuna") is None else "optuna"
    return GridSearch(config) if name == "grid" else OptunaSearch(config, folder)


def check_search(config: RunConfig) -> None:
    """That every value listed gives a configuration, and that trials need no workers of their own.

    Raises:
        InputError: one does not, or they do.
    """
    train = config.train
    if train.collectors and train.collector_executor != "in-process":
        raise fail(expected="train.collectors = 0 in trials", given=f"{train.collectors}",
                   where="train.collectors",
                   remedy="leave it out: trials are shared out among workers, which have none of "
                          "their own")
    if not config.trials.search:
        raise fail(expected="keys to search over", given="none", where="trials.search",
                   remedy="list values of at least one key")
    for key, values in config.trials.search.items():
        for value in values:
            changed(config, {key: value})


def changed(config: RunConfig, changes: Changes) -> RunConfig:
    """The configuration with other values of some keys.

    Raises:
        InputError: an unknown key or a value that is not allowed.
    """
    tree = tree_of(config)
    for key, value in changes.items():
        table, dot, name = key.partition(".")
        if not dot or not isinstance(tree.get(table), dict):
            raise fail(expected="keys such as agent.learning_rate", given=f"'{key}'",
                       where="trials.search", remedy="name a table and a key of the configuration")
        tree[table][name] = value
    return checked(tree, "trials.search")


def imported() -> ModuleType:
    """Optuna.

    Raises:
        InputError: it is not installed.
    """
    try:
        import optuna
        import optuna.storages.journal
    except ImportError:
        raise fail(expected="Optuna, for --search optuna", given="an installation without it",
                   where="--search optuna",
                   remedy=f"run {install('tune')} or use --search grid") from None
    return optuna
