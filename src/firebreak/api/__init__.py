"""The functions that Python programs call: each verb of the command line as a function with typed
results. Nothing here prints or ends the program.

`from firebreak import plan` is the way in.
"""
