"""What is drawn over the picture: captions, legends, panels.

captions          What is said and asked, which numbers are shown, the card of a first start; the crosshair
hud               The HUD: where one is, what is missing, how fast frames come; all other numbers on demand
interface         What imgui draws beside the panels: numbers and lists, legend, cards, F1's table, connect screen
key_table         F1: all keys and commands, searched by what is typed
overlay_switches  The overlays of one window: which are on, the list that switches them by letter
packet_list       The list of the panel Packets: read from the recording, or from the history, on a thread
panel_data        What panels are shown: snapshots of connection and scene
panel_host        The panels of one window: imgui's host, the pass that draws it, the menu, and what is kept
panels            The door to the panels: which keys, text and mouse are theirs
slices            Slices through a session for the map: a texel a sub-chunk, or a block where light is shown
"""
