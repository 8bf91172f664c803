"""The settings of weather, fires, breaks, values and the agent: names, types, bounds, defaults and
meanings, each said once. The command line's options and the tables of a run's TOML are made from
them. Standard library only: options are listed before anything heavy is loaded.
"""
