"""Plans judged and methods compared on test fires. Methods are in the folders beside."""
