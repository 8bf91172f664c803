"""Shared by several commands: their parsing, plans' options in files, runs, signals, tables."""
