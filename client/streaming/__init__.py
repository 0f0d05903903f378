"""What to ask for, in which order, in which packets, and what became of each request.

    anchors          Anchors: which columns are wanted near, and for how many reasons
    expected_ground  Places that the request walk may pass before they are answered: the sky, and the surface
    ledger           What became of each request: outstanding, waiting to be repeated, or closed
    planner          What to ask for next, in which order (by ``net.visibility.priority``), in which packets
    timeouts         How much may be asked at once, how long an answer is waited for, and when a place is asked again

Nothing is re-exported here, so that whoever only wants ``timeouts`` does not load the world's kernels with it.
"""
