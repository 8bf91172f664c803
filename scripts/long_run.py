"""Train in constant memory for as many episodes as asked, by default with the long preset.

    .venv/bin/python scripts/long_run.py [CONFIG|PRESET] [options of firebreak train]
    .venv/bin/python scripts/long_run.py long --set train.episodes=5000

A run that was stopped goes on with `--resume RUN`.
"""

import sys

from firebreak.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *(sys.argv[1:] or ["long"])]))
