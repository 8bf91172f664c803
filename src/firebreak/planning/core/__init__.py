"""What all methods share: the plan, rounds of placement, rules, area, limits, break segments. No
method.
"""
