"""`python -m firebreak`."""

import sys

from firebreak.cli import main

if __name__ == "__main__":
    sys.exit(main())
