"""Measurements: frames (``chunkscope bench frame``), streaming (``stream``) and process start (``start``).

frames       Draws a scripted camera path over a settled scene and measures each frame
mirror       Edits a world, reads the GPU's copy back and compares it (``chunkscope doctor --mirror``)
rays         Casts rays through the opaque cubes of a store: where each ends, and since when
start        Starts ``shot`` and ``view``: a table of what their threads did, the critical path, a plot
start_probe  Runs in the process that ``start`` measures, and records when its functions ran
streaming    Moves a connection along a path and measures when data arrived and when each pixel became final
"""
