"""What overlays say over a frame: facts in, marks out, and one painter for all of them.

    facts     what an overlay may know: plain arrays of the sub-chunks around the look's anchor, each made when asked
    marks     what an overlay says: boxes, lines, labels, and the rows of its legend; plain arrays, no GL
    registry  which function makes which overlay's marks, and how long they stay true
    legend    what marks mean, in words
    painter   keeps marks while they are true and draws them
    heat      numbers as a few steps of colour and hatch that everyone can tell apart

Each other module is one overlay of that name: ``marks(facts) -> Marks``, a pure function with a plain twin in the
tests. What cannot be said in marks (X-ray, channels) is a painter of its own in ``render.scene.overlays``.
"""
