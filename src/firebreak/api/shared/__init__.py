"""Shared by Python and the command line: options, and the steps from them to results. No text for a
terminal: this is in `cli`.
"""
