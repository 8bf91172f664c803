"""Maps, curves, animations: figures that are closed by whoever drew them. No HTML."""
