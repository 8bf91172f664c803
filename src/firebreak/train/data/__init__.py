"""Land for training, validation and test, disjoint in space. Readers of maps are in `landscape`."""
