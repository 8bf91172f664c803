"""The long run: a configuration, its land, episodes, gradient steps and what is kept of them. No
figures: whoever consumes the rows of a run makes them.
"""
