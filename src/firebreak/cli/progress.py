"""Progress of what takes longer than it takes to wonder: a bar on the terminal, and only there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_S = 2.0


@contextmanager
def progress_bar(total: int | None, unit: str, *, quiet: bool) -> Iterator[Callable[[int], object]]:
    """A bar with rate and time left, shown after PATIENCE_S on standard error if that is a
    terminal. Yields what is told of progress made, in units; total None: not known.
    """
    if quiet:
        yield lambda made: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=unit, dynamic_ncols=True, delay=PATIENCE_S, disable=None,
              leave=False, mininterval=0.25) as bar:
        yield bar.update
