"""Measurements: what frames cost (``chunkscope bench frame``), how a world streams in (``bench stream``).

frames     A scripted path, drawn and measured frame by frame, over a scene at rest (``world_view``)
mirror     The GPU's copy of a world that is edited, read back and compared (``chunkscope doctor --mirror``)
rays       Rays through the opaque cubes of a store: where each ended, and since when it ends there
streaming  Goes a path with a connection, measures what came when; dates its pictures pixel by pixel
"""
