"""What several commands use: options of scenes and runs, inputs, progress bars, signals, tables. No
command of its own.
"""
