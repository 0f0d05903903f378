"""Passes of overlays: boxes, lines, labels, surfaces.

boxes             Boxes of any size in free colours, outlined, hatched and filled: what most overlays are made of
labels            Short texts in space, in our bitmap font (``materials.font``)
lines             Lines in space, so many pixels wide: graphs, frusta, edges of boxes, marks on faces
overlay_kernels   What of boxes and labels a camera sees, in which order
surface_channels  One fact of each surface in the picture's place; X-ray: what terrain hides
"""
