"""Places where calls run: in this process, in others, on a Ray cluster. Knows no subject: what a
call does is its caller's.
"""
