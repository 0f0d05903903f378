"""Control of the camera, of the server's player, and of time.

bookmarks       Named views, kept per server in one TOML file beside the settings
camera_control  Keys and mouse to a view: a free camera that flies, or walks
server_moves    Where the server's word takes the camera: spawns, teleports, other dimensions
timeline        The window's hand on time: of a recording, and of the last minutes of a live session
travel          Where the camera goes by other means than held keys; camera paths, flown and played back
"""
