"""Episodes into the replay, played in this process or in others, labels of their states, and the
greedy policy on validation land. Nothing is learned here.
"""
