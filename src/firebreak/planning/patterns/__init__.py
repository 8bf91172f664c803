"""Methods that place lines, strips and patches. Methods that rank single cells are in `ranking`."""
