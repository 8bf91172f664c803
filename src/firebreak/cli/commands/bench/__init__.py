"""`firebreak bench`: how fast this machine is. Measurements of methods and
models are in `benchmarks`, outside the package."""
