"""Figures and an animated fire of a trained policy.

    .venv/bin/python scripts/visualize_agent.py RUN [options of firebreak visualize]

RUN is the folder that training printed at its end, such as outputs/quick-20260101-120000.
"""

import sys

from firebreak.cli import main

if __name__ == "__main__":
    sys.exit(main(["visualize", *sys.argv[1:]]))
