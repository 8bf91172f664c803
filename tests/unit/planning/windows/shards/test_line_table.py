"""Lines by number, against their definition."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.raster.windows import Window
from firebreak.planning.windows.shards.shard_plan import LineTable


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 20), size=st.integers(1, 4))
def test_lines_near_a_window_are_those_whose_box_meets_it(seed: int, count: int,
                                                          size: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [rng.integers(0, 400, size) for _ in range(count)]
    window = Window(*rng.integers(0, 16, 2).tolist(), *rng.integers(1, 8, 2).tolist())
    numbers = rng.permutation(count)[:count // 2].tolist()

    def meets(line: np.ndarray) -> bool:
        row, col = np.divmod(line, 20)
        return bool(row.min() < window.row + window.rows and row.max() >= window.row
                    and col.min() < window.col + window.cols and col.max() >= window.col)

    assert LineTable(lines, 20).near(numbers, window) == [k for k in numbers if meets(lines[k])]
