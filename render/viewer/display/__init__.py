"""What is drawn over the picture: captions, legends, panels.

captions          What is said and asked in the window's corner, and what its keys do; the crosshair
hud               The HUD: what is known, why the rest is missing, and what it costs, in a few lines
interface         What imgui draws beside the panels: numbers and lists, legend, banner, connect screen
overlay_switches  The overlays of one window: which are on, the list that switches them by letter
panel_data        What panels are shown: snapshots of connection and scene
panel_host        The panels of one window: imgui's host, the pass that draws it, the menu, and what is kept
panels            The door to the panels: which keys, text and mouse are theirs
slices            Slices through a session for the map: a texel a sub-chunk, or a block where light is shown
"""
