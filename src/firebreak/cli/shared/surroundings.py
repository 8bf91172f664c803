"""Clear away what a command is handed by the process that starts it and that is none of its input:
closed or narrow streams, variables of other programs, a working folder that is gone.
"""

import contextlib
import io
import os
import sys
import warnings

from firebreak.checks import ResourceFailedError, fail, plain
from firebreak.variables import foreign_variables

_OF_MATPLOTLIB = ("MPLBACKEND", "MATPLOTLIBRC")
_LEAST_BYTES = 288 << 20
"""Address space; most commands need twice as much, and then say so themselves."""


class _Output(io.TextIOWrapper):
    """A stream on which names from files do not move the cursor."""

    def write(self, text: str) -> int:
        return super().write(plain(text, but="\n\t"))


class _Errors(io.TextIOWrapper):
    """A stream whose loss stops no work: nobody could be told."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def clear_surroundings() -> None:
    """Make streams, variables and filters of warnings those of a command. To be called before a
    library that reads them is loaded.

    Raises:
        InputError: the working folder is gone.
        ResourceFailedError: there is no room for the libraries.
    """
    _open_streams()
    for name in (*_OF_MATPLOTLIB, *foreign_variables()):
        os.environ.pop(name, None)
    # Warnings are lines of their own here; as errors they would end the command (-W error).
    warnings.filters[:] = [one for one in warnings.filters if one[0] != "error"]  # type: ignore[index]
    try:
        os.getcwd()
    except OSError:
        raise fail(expected="a folder that is there", given="one that is gone",
                   where="working folder", remedy="change to another") from None
    _check_address_space()


def _check_address_space() -> None:
    """Refuse a limit below which the libraries cannot even start, where some wait for ever."""
    with contextlib.suppress(ImportError):  # not on every system
        import resource

        if 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < _LEAST_BYTES:
            raise ResourceFailedError(f"at least {_LEAST_BYTES >> 20} MiB of address space are "
                                      "needed; raise the limit with ulimit -v")


def _open_streams() -> None:
    """Standard streams that are open, lest a file that is opened next takes the number of one and
    what is printed goes into it; and that show what they can of any text.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the least number that is free: this one
    for name, number, kind in (("stdout", 1, _Output), ("stderr", 2, _Errors)):
        old = getattr(sys, name)
        if old is None:
            new = kind(io.FileIO(number, "wb", closefd=False),
                       encoding="utf-8", errors="replace")
        elif isinstance(old, io.TextIOWrapper):
            new = kind(old.buffer, encoding=old.encoding,
                       errors="replace" if number == 1 else "backslashreplace",
                       line_buffering=old.line_buffering, write_through=old.write_through)
        else:
            continue
        setattr(sys, name, new)
