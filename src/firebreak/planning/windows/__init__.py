"""Plans of maps of any size: windows propose lines, all fires of the whole map judge them. The
methods that windows plan by are in the folders beside.
"""
