"""Progress of long work: a bar on a terminal, else a line now and then, for a file that is read
while it grows.
"""

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from tqdm import tqdm

PATIENCE_S = 2.0
"""A bar is drawn where work takes longer."""
LINE_EVERY_S = 10.0
IN_PARTS = ("plan", "segment")
"""Units whose bars advance in parts of them too."""
_LOOKS_PER_LINE = 4
"""Looks between two lines at whether a line is due, while the work says nothing."""
_TOLD_FROM = 0.1
"""Share of the work from which on the rest can be told: a plan begins slowly."""

Advance = Callable[[float], object]


@contextmanager
def progress_bar(total: int | None, unit: str, *, quiet: bool,
                 in_parts: bool = False) -> Iterator[Advance]:
    """Shows on standard error how far work is. In a notebook and on a terminal a bar with rate and
    time left, drawn after PATIENCE_S; elsewhere lines, LINE_EVERY_S apart, also while the work says
    nothing. Yields the function that advances it by a number of units, with `in_parts` by parts of
    units too. total None or 0: not known.
    """
    with _progress(total, unit, quiet, unit_scale=in_parts, delay=PATIENCE_S, leave=False,
                   mininterval=0.25) as progress:
        yield progress.advance


def _draws_bars() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()


def _bar_of_place() -> "type[tqdm[NoReturn]]":
    """tqdm as a widget in a notebook that has them, else as text without the library's warning."""
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)
        from tqdm.auto import tqdm
    return tqdm


def in_lines(total: int | None, unit: str, clock: Callable[[], float] = time.monotonic, *,
             begun: int = 0, note: Callable[[], str] = str) -> Advance:
    """The function that writes a line on how far work is, LINE_EVERY_S after the last one at the
    earliest, and flushes it. Work that ends before writes none. Threads may share it.

    Args:
        begun: units that were done before.
        note: what else there is to say at the end of a line.
    """
    began = last = clock()
    done = 0.0
    turn = threading.Lock()

    def advance(amount: float) -> None:
        nonlocal done, last
        with turn:
            done += amount
            now = clock()
            if now - last < LINE_EVERY_S:
                return
            last = now
            more = f"; {said}" if (said := note()) else ""
            print(f"firebreak: {_words(done, begun, total, unit, now - began)}{more}",
                  file=sys.stderr, flush=True)

    return advance


class RunProgress(NamedTuple):
    """The progress of a long run.

    Attributes:
        advance: takes how many units were done, and words on how things are.
        tell: takes a line that stays.
    """

    advance: Callable[..., object]
    tell: Callable[[str], object]


@contextmanager
def run_progress(total: int, unit: str, *, quiet: bool, begun: int = 0) -> Iterator[RunProgress]:
    """Shows how far a run is, as `progress_bar` does, with what stays on standard output; in a
    notebook as a bar. begun: units that were done before, in a run that goes on.
    """
    with _progress(total, unit, quiet, begun, mininterval=0.5) as progress:
        yield progress


@contextmanager
def _progress(total: int | None, unit: str, quiet: bool, begun: int = 0,
              **form: Any) -> Iterator[RunProgress]:
    """The progress of work as a bar, of this form, or in lines; `quiet` shows what stays alone."""
    if quiet:
        yield RunProgress(lambda amount, note="": None, _printed)
    elif _draws_bars():
        with _bar_of_place()(total=total, initial=begun, unit=unit, dynamic_ncols=True,
                             **form) as bar:
            def advance(amount: float, note: str = "") -> None:
                bar.set_postfix_str(note, refresh=False)
                bar.update(amount)

            yield RunProgress(advance, bar.write)
    else:
        now = [""]
        forward = in_lines(total, unit, begun=begun, note=lambda: now[0])

        def tell(amount: float, note: str = "") -> None:
            now[0] = note
            forward(amount)

        with _repeated(lambda: forward(0.0), LINE_EVERY_S / _LOOKS_PER_LINE):
            yield RunProgress(tell, _printed)


def _printed(words: str) -> None:
    print(words, flush=True)


@contextmanager
def _repeated(call: Callable[[], object], every_s: float) -> Iterator[None]:
    """Calls a function at intervals, in a thread, until the work below it ends."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(every_s):
            call()

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _words(done: float, begun: int, total: int | None, unit: str, seconds: float) -> str:
    if not total:
        return f"{unit}s {done:,.0f} in {seconds:.0f} s" if done else f"{unit}: {seconds:.0f} s"
    share = min(max((begun + done) / total, 0.0), 1.0)
    rate = f", {done / seconds:.3g} {unit}s a second" if done and total > 1 else ""
    left = (f", about {seconds * (total - begun - done) / done:.0f} s left"
            if begun + done <= total and done and done >= _TOLD_FROM * (total - begun) else "")
    what = unit if total == 1 else f"{begun + done:,.0f} of {total:,} {unit}s"
    return f"{what}: {share:.0%} in {seconds:.0f} s{rate}{left}"


def bars(quiet: bool) -> Callable[[int, str], AbstractContextManager[Advance]]:
    """The function that makes the bars of work that has several."""
    def bar(total: int, unit: str) -> AbstractContextManager[Advance]:
        return progress_bar(total, unit, quiet=quiet, in_parts=unit in IN_PARTS)

    return bar


def notebook_bars(quiet: bool) -> Callable[[int, str], AbstractContextManager[Advance]]:
    """The same for functions: outside of notebooks and terminals a program hears nothing."""
    return bars(quiet or not _draws_bars())
