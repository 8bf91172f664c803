"""A plan of any size, from the options to its files: what the command and `api.planned` both call.

A map of more than 256x256 treatable cells is planned by windows, and any map where an option of
windows says so; all others at once.
"""
