"""Overlays over a frame: pure functions from facts to marks, and one painter for all of them.

    facts       The input of overlays: a protocol of plain arrays
    found       The overlays ``found`` and ``against``: blocks found by a search, and differences from another world
    geometry    Overlays ``borders``, ``cells``, ``biomes``
    gpu         Overlays ``merge``, ``mirror``, the seven ``channel-*``, ``xray-placeholder``, ``xray-air``
    legend      Legends of overlays in words
    light       Overlays ``light-r``, ``light-g``, ``light-b``, ``light-d``, ``light-seams``
    overlay     Declaration of overlays, and the marks that they draw over a frame
    painter     Draws the marks of overlays, and keeps them until an input changes
    requests    Overlays ``age``, ``priority``, ``waves``
    states      Overlays ``states``, ``states=all``, ``errors``, ``palette``, ``proof``
    tracks      The overlay ``tracks``
    visibility  Overlays ``verdict``, ``graph``

An overlay is ``marks(facts) -> OverlayMarks``, a pure function with a plain reference in the tests; to add one, declare
it with ``@overlay`` in a module here. Overlays that are not made of marks (X-ray, channels) have painters of their own
in ``render.scene.frame.overlays``.
"""
