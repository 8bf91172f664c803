"""Every way to make a plan, the evaluation of plans, and their files. Import from the modules."""
