"""The picture of one store: its bricks and meshes on the GPU, what is still being made, what each frame shows."""

from render.scene.config import SceneConfig
from render.scene.picture import Picture
from render.scene.scene import Look, Scene
from render.scene.stats import SceneStats

__all__ = ["Look", "Picture", "Scene", "SceneConfig", "SceneStats"]
