"""Train a fuel-break policy, with the quick preset unless told otherwise.

    .venv/bin/python scripts/train_fuel_break_policy.py [CONFIG|PRESET] [options of firebreak train]

`python3 scripts/run.py train` does the same and makes .venv first.
"""

import sys

from firebreak.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *(sys.argv[1:] or ["quick"])]))
