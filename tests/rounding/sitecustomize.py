"""Python runs this at its start in the processes of tests with `--rounding N`."""

import importlib.util
import os
from pathlib import Path

if os.environ.get("FIREBREAK_TEST_ROUNDING"):
    _spec = importlib.util.spec_from_file_location("rounding",
                                                   Path(__file__).with_name("__init__.py"))
    _rounding = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_rounding)
    _rounding.begin(int(os.environ["FIREBREAK_TEST_ROUNDING"]))
