"""What overlays say over a frame: facts in, marks out, and one painter for all of them.

    facts       What overlays may know: a protocol of plain arrays
    geometry    The overlay ``borders``: where columns, sub-chunks and render cells end
    gpu         The overlay ``merge``: each quad in a colour of its own
    light       The overlays ``light-r``, ``light-g``, ``light-b``, ``light-d``
    marks       What one overlay says over one frame
    overlay     Declares an overlay, its keys and words where its marks are made
    registry    All overlays that are declared in this folder, and what draws and explains them
    requests    The overlay ``age``: how long each sub-chunk took from its last question to the answer
    states      The overlay ``states``: a box around every sub-chunk, by what is known of it
    visibility  The overlay ``verdict``: a box around every render cell, by why it is on the screen or is not

Each other module is one overlay of that name: ``marks(facts) -> OverlayMarks``, a pure function with a plain twin in
the tests. What cannot be said in marks (X-ray, channels) is a painter of its own in ``render.scene.frame.overlays``.
"""
