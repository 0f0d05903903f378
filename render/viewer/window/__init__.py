"""The window itself: its start, its size, its system.

screen   The target and the area of the picture in the window
startup  From the start of the program to a joined world, with a responsive window
window   The pyglet window: created once, GL 4.3 before 3.3, without pyglet's own error checks; its size in both units
x11      What pyglet lacks on X11: clipboard, text size, keys released elsewhere, a lost display
"""
