"""Tables of reference numbers."""

import csv
from pathlib import Path

import numpy as np


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """Columns of a CSV file by name; floats where they are all numbers, else text."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for name in rows[0]:
        text = [row[name] for row in rows]
        try:
            columns[name] = np.array([float(item) for item in text])
        except ValueError:
            columns[name] = np.array(text)
    return columns
