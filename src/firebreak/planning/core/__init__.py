"""The base of all methods: the plan, rounds of placement, trials of lines, rules, area, limits,
break segments. No method.
"""
