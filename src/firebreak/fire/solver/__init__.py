"""Minimum travel times: the kernels that burn a whole fire, their queues, and sums over fires.
Fires that burn again after a change of breaks are in `incremental`.
"""
