"""Figures, HTML reports and the explorer. No method and no training: these are in `planning` and
`train`. Import from the modules.
"""
