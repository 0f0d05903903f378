"""Which sub-chunks to request, in which order and packets, and what became of each request.

    anchors          Anchors: the rectangles of columns to keep loaded, and the columns that are loaded for them
    expected_ground  Places that the request walk may pass before they are answered: the sky, and the surface
    ledger           The state of each request: outstanding, waiting for its next try, or closed
    limits           The limits on requests, an option of a connection
    planner          What to request next and in which packets; ``net.visibility.priority`` decides the order
    timeouts         How much may be requested at once, how long until a time-out, and how long until the next try

The package re-exports nothing, so that importing only ``limits`` does not load the world's kernels.
"""
