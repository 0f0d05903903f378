"""One frame of a scene: what is seen, its surroundings, particles and overlays.

frame           A scene's frames: what all passes read is bound, what is seen is listed
overlays        The overlays of one scene, and the facts that they are made of
particles       What falls in a frame: bits of broken blocks, rain and snow
surroundings    What all passes of a frame must know of the world around the eye
visible_meshes  What the camera sees of the meshes that are there
"""
