"""The steps from a landscape to a plan that is judged and written, which the command line and
`api.planned` take alike.
"""
