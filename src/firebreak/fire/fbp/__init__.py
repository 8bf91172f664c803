"""The Canadian FBP System, one file per chapter of ST-X-3, and on a landscape. Spread from cell
to cell is in `travel` and `solver`.
"""
