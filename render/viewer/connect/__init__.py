"""The connect screen, and switching between worlds in one window.

connect_screen  The connect screen of one window: its lists, its attempt to join, its keys and mouse
join            One attempt to join, from start to end; the connections of a window; options for joining
recent          Recently joined sources, in one TOML file beside the settings
screen_state    The connect screen's state: typed text, selection, meaning of keys
sources         The lists of the connect screen: sections of rows from servers, recent sources, files and our worlds
switch_world    Switches a window between worlds: connect screen, banner, transition
"""
