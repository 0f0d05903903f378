"""The connect screen, and what happens when one goes from world to world in one window.

connect_screen  The connect screen of one window, alive: its lists, its attempt to join, its keys and mouse
join            One join from Enter to its end: begun, told, given up, failed or done
recent          Sources that were joined, the last first, in one TOML file beside the settings
screen_state    The connect screen between frames: what is typed, what is selected, what keys do
sources         What the connect screen lists: sections of rows from servers, recent sources
switch_world    All that a window with a world has to do with other worlds, in one hand: screen, banner, the way
"""
