"""Methods that place lines and strips. Methods that rank single cells are in `ranking`."""
