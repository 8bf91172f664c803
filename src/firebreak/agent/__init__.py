"""The learner: network, targets, exploration, replay and the file of a policy. It sees observations
and rewards only and knows no environment.
"""
