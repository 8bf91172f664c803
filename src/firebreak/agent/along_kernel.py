"""Sums of maps along line actions, compiled: what `mean_along` does without gradients."""

from firebreak.compiled import compiled


@compiled()
def add_along(maps, steps, first, out):
    """Adds to out f32 [M, S, H, W], zeros before, each shape's map [M, S, H, W] at the cells of
    its line actions, one cell of the line after the other; cells beyond the map count as 0.

    Args: steps i64 [N, 2]: (rows, columns) of all shapes' cells from the middle one; first
    i64 [S + 1]: where each shape's begin.
    """
    rows, cols = maps.shape[2], maps.shape[3]
    for m in range(maps.shape[0]):
        for shape in range(maps.shape[1]):
            for k in range(first[shape], first[shape + 1]):
                down, right = steps[k, 0], steps[k, 1]
                left, end = max(0, -right), min(cols, cols - right)
                if end <= left:  # else slices would count from the map's end
                    continue
                for row in range(max(0, -down), min(rows, rows - down)):
                    # Slices count from 0: no index may be negative, so several are added at once.
                    here = out[m, shape, row, left:end]
                    there = maps[m, shape, row + down, left + right:end + right]
                    for col in range(here.shape[0]):
                        here[col] += there[col]
