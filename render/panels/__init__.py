"""Panels: what is known, over the picture, with dear imgui.

    connect       The connect screen: an address, servers of the LAN, recent sources, files, our own worlds
    connect_card  Draws the connect screen with imgui: a card over a dimmed world, or over nothing
    entities      Entities by type, what a server does wrong with them, each one with its metadata
    event_log     What happened last, to sub-chunks and to blocks, and what was said
    find          Blocks or block entities of a name in what is loaded, and the way to them
    graphs        Graphs over the last frames: what each stage takes on the CPU and each pass on the GPU, frames
    hud           What stands over the picture, as plain values; its text is made in ``render.viewer.display.hud``
    hud_card      Draws with imgui what ``hud`` describes: lines, legend, cards, F1's table
    imgui_host    imgui's context: style, fonts, docking, what comes in, and the layout as text
    inspector     One block and its sub-chunk's whole story
    legend        What outlines and hatches mean, how many there are of each, and which overlays are on
    packets       Packets of a recording or of the last minutes, field by field; requests with their answers
    panel         Declares a panel where it is drawn; what panels ask of the window; numbers as people read them
    pipeline      Health in one look: sub-chunks by state, requests under way, queues, rates, bytes pool by pool
    problems      Panels Problems and Invariants: what is wrong, by kind, and the way to the places
    settings      Every setting of the file: looked at, changed, kept, its comments left alone
    slice_map     A slice through the sub-chunks, flat: pan and zoom, coloured by state, priority, age or light
    swatch        Small pictures of what outlines and hatches look like, for legends
    widgets       Labels with their texts, below each other; what an item means

Rules:
1. A panel is a function of its snapshot (and of its own state: what is scrolled, zoomed, chosen): no panel knows a
   window, a session or a scene. Whoever has them makes the snapshots (``render.viewer.display.panel_data``).
2. What a panel wants done it gives back as requests (``panel.PanelRequest``).
3. No command without a window loads imgui. Beside these modules the pass that draws imports it, and the two in
   ``render.viewer.display`` that hold its contexts.
"""
