"""What all methods share: the plan, rounds of placement, trials of lines, rules, area, limits,
break segments. No method.
"""
