"""Many runs or agents at once: trials, evolution, very large evaluations. One run is in `run`."""
