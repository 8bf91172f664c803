"""Changes of breaks: affected fires, invalidate, repair, propagate, trial; and the
stores of kept fires. Burning from nothing is the solver's.
"""
