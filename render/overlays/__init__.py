"""What overlays say over a frame: facts in, marks out, and one painter for all of them.

    against     The overlay ``against``: where blocks differ from another world's
    facts       What overlays may know: a protocol of plain arrays
    found       The overlay ``found``: blocks that somebody looked for
    geometry    Overlays ``borders``, ``cells``, ``biomes``
    gpu         Overlays ``merge``, ``mirror``, the seven ``channel-*``, ``xray-placeholder``, ``xray-air``
    light       Overlays ``light-r``, ``light-g``, ``light-b``, ``light-d``, ``light-seams``
    marks       What one overlay says over one frame
    overlay     Declares an overlay, its keys and words where its marks are made
    registry    All overlays that are declared in this folder, and what draws and explains them
    requests    Overlays ``age``, ``priority``, ``waves``
    states      Overlays ``states``, ``states=all``, ``errors``, ``palette``, ``proof``
    tracks      The overlay ``tracks``
    visibility  Overlays ``verdict``, ``graph``

An overlay is ``marks(facts) -> OverlayMarks``, a pure function with a plain twin in the tests; to add one, declare it
with ``@overlay`` in a module here. What cannot be said in marks (X-ray, channels) is a painter of its own in
``render.scene.frame.overlays``.
"""
