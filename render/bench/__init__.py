"""Measurements of frames (``chunkscope bench frame``), of how a world streams in (``stream``), of a start (``start``).

frames       A scripted path, drawn and measured frame by frame, over a scene at rest (``world_view``)
mirror       The GPU's copy of a world that is edited, read back and compared (``chunkscope doctor --mirror``)
rays         Rays through the opaque cubes of a store: where each ended, and since when it ends there
start        Starts ``shot`` and ``view``: a table of what their threads did, the critical path, a plot
start_probe  The process that is started then: notes what its functions do when
streaming    Goes a path with a connection, measures what came when; dates its pictures pixel by pixel
"""
