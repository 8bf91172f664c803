"""The settings of weather, fires, breaks, values and the agent: names, types, bounds, defaults and
meanings, each said once (`schema`). The options of commands, the keys of files and the keywords of
functions are made from them (`sources`, `conversion`, `binding`), and held to one table of rules
(`rules`). Nothing heavy is loaded here: a command answers at once.
"""
