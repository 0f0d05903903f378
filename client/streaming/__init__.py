"""What to ask for, in which order, in which packets, and what became of each request.

Nothing is re-exported here, so that whoever only wants ``limits`` does not load the world's kernels with it.
"""
