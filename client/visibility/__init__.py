"""What can be seen: face connectivity of sub-chunks, the walk over it, and the frustum.

``connectivity.derive`` once for each changed block slot, ``walk.Walk`` once for each eye, ``frustum`` for the draw
list.
"""
