"""The picture of one store: its bricks and meshes on the GPU, what is still being made, what each frame shows."""

from render.passes.look import Look
from render.scene.config import SceneConfig
from render.scene.picture import Picture
from render.scene.scene import Scene
from render.scene.stats import SceneStats

__all__ = ["Look", "Picture", "Scene", "SceneConfig", "SceneStats"]
