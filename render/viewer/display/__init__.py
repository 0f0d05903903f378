"""What is drawn over the picture: captions, legends, panels.

captions          Messages and prompts, the level of the HUD, the card of a first start; the crosshair
hud               The text of the HUD: position, missing sub-chunks, frame times; more on demand
interface         What imgui draws beside the panels: HUD, lists, legend, cards, F1's table, connect screen
key_table         F1: all keys and commands, filtered by typed text
overlay_switches  The overlays of one window: which are on, and the list that switches them by letter
packet_list       The list of the panel Packets, read on a thread from the recording or the history
panel_data        The panels' data: snapshots of connection and scene
panel_host        The panels of one window: imgui's host, the pass that draws it, the menu, the stored layout
panels            The panels' connection to the window: their keys, text and mouse
slices            Slices through a session for the map: a texel a sub-chunk, or a block where light is shown
"""
