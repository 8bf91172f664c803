"""Barriers that pay only when they are closed: the cheapest ones, their pieces, and plans of them.
"""
