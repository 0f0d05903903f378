"""One frame of a scene: visible meshes, surroundings, particles and overlays.

frame           A scene's frames: binds shared state, lists visible meshes, runs the passes in order
overlays        The overlays of one scene, and the facts that they show
particles       Particles of one frame, rain and snow, and blocks that crack on their own quads
surroundings    The world around the eye as passes need it: fog, medium, precipitation
visible_meshes  The meshes that the camera sees
"""
