"""The window itself: its start, its size, its system.

startup  From nothing to a joined world, with the window alive all the while
window   The pyglet window: opened once, 4.3 before 3.3, without pyglet's own error checks; its size in both its units
x11      The clipboard of X11, where who copied must answer each program that pastes
"""
