"""HTML reports of plans and runs. The figures in them are drawn in `figures`."""
