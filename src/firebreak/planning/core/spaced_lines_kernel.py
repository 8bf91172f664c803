"""Compiled choice of lines that lie apart."""

from firebreak.compiled import compiled


@compiled()
def choose_spaced(cells, first, max_cells, spacing, near, count, chosen):
    """Sets chosen bool [n] for those of n lines, best first, that a round places: the very first,
    and further ones at least `spacing` (Chebyshev) from those before, up to `max_cells` cells.

    Args: cells i64 [T], flat, those of line k from first[k] to first[k + 1], i64 [n + 1]. near
    bool [H, W]: cells nearer than `spacing` to a chosen line, added to. count i64 [1]: cells of the
    lines chosen so far, 0 if none was, added to.
    """
    cols = near.shape[1]
    for line in range(chosen.shape[0]):
        size = first[line + 1] - first[line]
        if count[0] > 0 and (count[0] + size > max_cells
                             or _touches(cells, first[line], first[line + 1], near)):
            continue
        chosen[line] = True
        count[0] += size
        for k in range(first[line], first[line + 1]):
            row, col = cells[k] // cols, cells[k] % cols
            for r in range(max(row - spacing + 1, 0), min(row + spacing, near.shape[0])):
                for c in range(max(col - spacing + 1, 0), min(col + spacing, cols)):
                    near[r, c] = True
        if count[0] >= max_cells:
            return


@compiled(inline="always")
def _touches(cells, begin, end, near):
    for k in range(begin, end):
        row = cells[k] // near.shape[1]
        if near[row, cells[k] - row * near.shape[1]]:
            return True
    return False
