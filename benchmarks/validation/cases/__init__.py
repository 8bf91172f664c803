"""One module for each kind of judge, with its cases in CASES. A new module is found by itself."""
