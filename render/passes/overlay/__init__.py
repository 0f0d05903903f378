"""Passes of overlays: boxes, lines, labels, surfaces.

boxes             Boxes of any size in free colours, outlined, hatched and filled: most overlays consist of them
labels            Short texts in space, in our bitmap font (``materials.font``)
lines             Lines in space with a width in pixels: graphs, frusta, edges of boxes, marks on faces
overlay_kernels   Kernels: which boxes and labels a camera sees, and in which order
surface_channels  One property of each surface in place of the picture; X-ray: what terrain hides
"""
