"""Methods that make a plan, the evaluation of plans, and their files. No training: a learned method
loads a policy. Import from the modules.
"""
