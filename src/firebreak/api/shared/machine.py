"""The machine that a call runs on: its threads, and the bars of its progress."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tqdm import tqdm

    from firebreak.planning.core.progress import Bar, Reporter

PATIENCE_S = 2.0
"""A bar is drawn where work takes longer."""
IN_PARTS = ("plan", "segment")
"""Units whose bars advance in parts of them too."""


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.native_library import max_threads, set_threads

    set_threads(count or max_threads())
    if torch_threads is not None:
        import torch

        torch.set_num_threads(torch_threads)


@contextmanager
def threads_kept() -> Iterator[None]:
    """Afterwards fires and networks have as many threads as before: they are the caller's."""
    import torch

    from firebreak.native_library import set_threads, thread_count

    fires, networks = thread_count(), torch.get_num_threads()
    try:
        yield
    finally:
        set_threads(fires)
        torch.set_num_threads(networks)


def bar_of_place() -> "type[tqdm[NoReturn]]":
    """tqdm as a widget in a notebook that has them, else as text. The library's warning that there
    are no widgets is no news to who sees the text.
    """
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)
        from tqdm.auto import tqdm
    return tqdm


def notebook_bars(quiet: bool) -> "Bar":
    """The function that makes the bars of work that has several: in a notebook or on a terminal;
    elsewhere a program that calls hears nothing.
    """
    shown = not quiet and ("ipykernel" in sys.modules or sys.stderr.isatty())

    @contextmanager
    def bar(total: int, unit: str) -> "Iterator[Reporter]":
        if not shown:
            yield lambda done: None
            return
        with bar_of_place()(total=total, unit=unit, unit_scale=unit in IN_PARTS, delay=PATIENCE_S,
                            leave=False, mininterval=0.25) as drawn:
            yield drawn.update

    return bar
