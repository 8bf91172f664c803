"""Progress of what takes longer than it takes to wonder: a bar on the terminal, and only there."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

PATIENCE_S = 2.0

Told = Callable[[float], object]


@contextmanager
def progress_bar(total: int | None, unit: str, *, quiet: bool,
                 in_parts: bool = False) -> Iterator[Told]:
    """A bar with rate and time left, shown after PATIENCE_S on standard error if that is a
    terminal. Yields what is told of progress made, in units, with `in_parts` of parts of them too;
    total None: not known.
    """
    if quiet:
        yield lambda made: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=unit, unit_scale=in_parts, dynamic_ncols=True, delay=PATIENCE_S,
              disable=None, leave=False, mininterval=0.25) as bar:
        yield bar.update


def bars(quiet: bool) -> Callable[[int, str], AbstractContextManager[Told]]:
    """What draws the bars of work that has several: plans are told in parts."""
    def bar(total: int, unit: str) -> AbstractContextManager[Told]:
        return progress_bar(total, unit, quiet=quiet, in_parts=unit == "plan")

    return bar
