"""What overlays say over a frame: facts in, marks out, and one painter for all of them.

    facts       What overlays may know: a protocol of plain arrays
    found       The overlays ``found`` and ``against``: blocks that a search, or another world, names
    geometry    Overlays ``borders``, ``cells``, ``biomes``
    gpu         Overlays ``merge``, ``mirror``, the seven ``channel-*``, ``xray-placeholder``, ``xray-air``
    light       Overlays ``light-r``, ``light-g``, ``light-b``, ``light-d``, ``light-seams``
    overlay     What an overlay is: its declaration where its marks are made, and the marks it draws over a frame
    registry    All overlays that are declared in this folder, and what draws and explains them
    requests    Overlays ``age``, ``priority``, ``waves``
    states      Overlays ``states``, ``states=all``, ``errors``, ``palette``, ``proof``
    tracks      The overlay ``tracks``
    visibility  Overlays ``verdict``, ``graph``

An overlay is ``marks(facts) -> OverlayMarks``, a pure function with a plain twin in the tests; to add one, declare it
with ``@overlay`` in a module here. What cannot be said in marks (X-ray, channels) is a painter of its own in
``render.scene.frame.overlays``.
"""
