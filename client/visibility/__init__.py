"""What can be seen: face connectivity of sub-chunks, the walk over it, and the frustum.

    frustum  The frustum: which boxes a view may show
    walk     The walk as planner and draw list use it

``walk.derive_connectivity`` once for each changed block slot, ``walk.Walk`` once for each eye, ``frustum`` for the draw
list.
"""
