"""`firebreak.train_policy`: a fuel-break policy, trained and compared on land held out."""

import errno
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.api.compared import ComparedPlans
from firebreak.api.given import folder_of, held
from firebreak.api.options import filled, verb
from firebreak.api.shared.executor_options import threads_kept
from firebreak.api.shared.plan_options import TrainOptions
from firebreak.api.shared.progress import notebook_bars
from firebreak.api.shared.run_output import (
    compared,
    configuration,
    consume,
    splits_of,
    trainer_in,
)
from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.agent.own_network import MakeNetwork
    from firebreak.agent.policy_file import Policy

SUFFIX = ".safetensors"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TrainedPolicy:
    """A policy that was trained; `plan(..., policy=...)` takes it.

    Attributes:
        policy: the network and where it came from.
        comparison: by name of the test land, methods on landscapes that were not trained on.
        metrics: the rows of metrics.jsonl: episodes, gradient steps, validations.
        episodes: that were played.
        weights_sha256: of the last network.
        folder: of the run, where one was asked for; else None.
        seconds: that it took.
    """

    policy: "Policy"
    comparison: Mapping[str, ComparedPlans]
    metrics: tuple[Mapping[str, Any], ...]
    episodes: int
    weights_sha256: str
    folder: Path | None
    seconds: float

    def save(self, path: str | Path) -> Path:
        """Writes the policy into a file of the suffix .safetensors, or into a folder as
        policy.safetensors, made if need be; returns the file. One that is there is replaced.
        """
        from firebreak.agent.policy_file import save_policy
        inside = isinstance(path, str | Path) and Path(path).suffix == SUFFIX
        whole = folder_of(path, "save")
        folder = whole.parent if inside else whole
        file = folder / (Path(path).name if inside else f"policy{SUFFIX}")
        with held(folder):
            try:
                save_policy(file, self.policy.network, self.policy.provenance)
            except OSError as error:
                if error.errno not in (errno.EISDIR, errno.ENAMETOOLONG):
                    raise
                raise fail(expected="the name of a file", given=error.strerror or str(error),
                           where=str(file)[:200], remedy="give another name") from error
        return file

    def __repr__(self) -> str:
        return (f"<policy of {self.episodes:,} episodes, {self.seconds:.0f} s; compared on "
                f"{', '.join(self.comparison) or 'nothing'}>")

    def _repr_html_(self) -> str:
        parts = [f"<p>{self.episodes:,} episodes in {self.seconds:.0f} s</p>"]
        for name, found in self.comparison.items():
            parts.append(f"<p>Test landscapes never trained on: {name}</p>{found._repr_html_()}")
        return "".join(parts)


@verb(TrainOptions)
def train_policy(config: str | Path | None = None, *, quiet: bool = False,
                 network: "MakeNetwork | None" = None,
                 on_row: Callable[[dict[str, Any]], object] | None = None,
                 **options: Any) -> TrainedPolicy:
    """Trains a policy, as `firebreak train` does: the same presets, the same weights. What the run
    writes is kept only where `out` names a folder, or `resume` a run to go on with.

    Args:
        config: a preset, or the path of a TOML file; quick if not given.
        quiet: no progress bar.
        network: a function (channels, width, shapes) that makes the network which learns: of
            observations [M, channels, H, W] values [M, shapes, H, W]. To load its policy in another
            process, hand the function in there too, or add it by a package. No layer may draw, or
            act otherwise in training, as dropout and batch normalization do.
        on_row: a function that is called with each row of metrics, a dictionary, when it is there.

    `set` takes a dictionary as well: set={"train.episodes": 600}.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.
    """
    if not (on_row is None or callable(on_row)):
        raise fail(expected="a function that takes a row of metrics", given=f"{on_row!r:.60}",
                   where="on_row", remedy="hand one in, such as print")
    changes = _changes(options.get("set", ()))
    if network is not None:
        from firebreak.agent.own_network import with_network

        changes.append(f"agent.network={with_network(network, 'network')}")
    settings = filled(TrainOptions, {**options, "set": changes}, "train_policy")
    begin = time.perf_counter()
    kept = settings.resume or settings.out
    with (tempfile.TemporaryDirectory(prefix="firebreak-") if kept is None else nullcontext(kept)
          ) as folder, threads_kept():
        from firebreak.agent.policy_file import load_policy
        from firebreak.train.storage.stored import metrics_rows

        place, run = Path(folder), configuration(None if config is None else str(config), settings)
        splits = splits_of(run)
        with trainer_in(place, run, splits, settings.resume is not None) as trainer:
            end = consume(trainer, place, run, quiet, on_row or (lambda row: None))
            trainer.check_learned()
            trainer.release()  # the comparison needs the room
            found = compared(run, splits, place, notebook_bars(quiet))
            return TrainedPolicy(
                policy=load_policy(place),
                comparison={name: ComparedPlans.of(one) for name, one in found.items()},
                metrics=tuple(metrics_rows(place)), episodes=int(end["episodes"]),
                weights_sha256=str(end["weights_sha256"]), folder=kept,
                seconds=time.perf_counter() - begin)


def _changes(given: Mapping[str, object] | Sequence[str]) -> list[str]:
    """Changes as the command line writes them."""
    if not isinstance(given, Mapping):
        return list(given)
    return [f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in given.items()]
