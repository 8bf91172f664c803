"""Fires of the whole map in shards: each holds a few, of one stream of weather, on the part of the
map that they come near. Shards answer in whole numbers, so which fires lie in which changes no bit.
"""
