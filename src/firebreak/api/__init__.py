"""What Python programs call: each verb of the command line as a function with typed results.

`from firebreak import plan` is the way in; nothing here prints or ends the program.
"""
