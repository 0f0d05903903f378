"""Panels: what is known, over the picture, with dear imgui (the extra ``ui``).

    host      imgui's context: docking, input, the layout as text
    style     fonts and colours of it
    keys      names of keys as imgui has them
    dock      where panels lie until somebody moves them
    wishes    what panels ask of the window
    registry  all panels
    signs     how lines of a graph are told apart
    rows      labels with texts, and hints              slice_view, slice_keys   what the map shows, its keyboard
    the rest  one panel each: a frozen snapshot, and a function from it to imgui calls

Rules:
1. A panel is a function of its snapshot (and of its own state: what is scrolled, zoomed, chosen): no panel knows a
   window, a session or a scene. Whoever has them makes the snapshots (``render.viewer.panel_views``).
2. What a panel wants done it gives back as ``wishes``.
3. Nothing here is imported before the first panel is opened, and nothing else imports imgui but the pass that draws.
"""
