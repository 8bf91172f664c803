"""Eight planning jobs on real maps: their inputs, every method on each of them, and the verdict."""
