"""Scenes as files: read, taken, compared with what was accepted, run as a suite (render/README.md, "Scenes")."""

from render.capture.scenarios.bad_scene import BadScene
from render.capture.scenarios.places import SceneFailed
from render.capture.scenarios.reading import read_scene, read_scenes, scene_files
from render.capture.scenarios.scene import BlockEdit, Scene, SceneView
from render.capture.scenarios.taking import BeforePicture, Darkroom, take_scene

__all__ = [
    "BadScene",
    "BeforePicture",
    "BlockEdit",
    "Darkroom",
    "Scene",
    "SceneFailed",
    "SceneView",
    "read_scene",
    "read_scenes",
    "scene_files",
    "take_scene",
]
