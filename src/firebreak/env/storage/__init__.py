"""Problems side by side in fixed memory: slots, land, observations, and the bytes they take. No
actions or rewards: these are one folder up.
"""
