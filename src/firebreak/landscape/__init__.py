"""What there is to burn: the landscape type, fuel models, readers and writers, synthetic maps,
windows. Import from the modules.
"""
