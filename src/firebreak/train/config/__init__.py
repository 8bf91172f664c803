"""A run's configuration: its tables, reading and writing, and the objects made from it. Settings
that the command line has too are in `firebreak.settings`.
"""

DEFAULT_PRESET = "quick"
"""The preset of a run where none is named. Said here, where nothing heavy is loaded."""
