"""Many runs or agents at once: trials, evolution. One run is in `run`."""
