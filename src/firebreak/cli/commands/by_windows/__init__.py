"""`firebreak plan` of a map that is too large for one window: how it is cut, and what is said.
The planning itself is in `planning.windows`."""
