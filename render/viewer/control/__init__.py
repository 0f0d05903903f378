"""Control of the camera, of the server's player, and of time.

bookmarks       Named views, stored per server in one TOML file beside the settings
camera_control  Keys and mouse to a view: a free camera that flies, or walks
server_moves    Camera moves by the server: spawns, teleports, other dimensions
timeline        Time control of a recording, and of the last minutes of a live session
travel          Camera moves without held keys: teleports, bookmarks, camera paths
"""
