"""`python -m firebreak`, and the command `firebreak`."""

import signal
import sys

from firebreak.lifetime import WORDS, leave


def main() -> int:
    """Runs the command; a signal before it begins or after it has ended leaves at once."""
    numbers = [number for number in WORDS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in numbers:
        signal.signal(number, leave)
    from firebreak.cli import main as command

    try:
        code = command()
    except KeyboardInterrupt as error:  # it came when the command had just ended
        leave(error.args[0] if error.args else signal.SIGINT)
    for number in numbers:  # all is done: what is left of Python needs no word
        signal.signal(number, signal.SIG_DFL)
    return code


if __name__ == "__main__":
    sys.exit(main())
