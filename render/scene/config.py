"""How much a scene does a frame, and how it lights. Frozen; passed in."""

import msgspec


class SceneConfig(msgspec.Struct, frozen=True):
    """Limits of a scene.

    Raises:
        ValueError: a budget for light made on the GPU.
    """

    # quads and bricks sent to the GPU in one step; None for no limit (captures). One edit's
    # cells go up together even beyond it.
    upload_bytes: int | None = 4 << 20
    # how long one step may take results and send things up before the rest waits for the next;
    # None for no limit (captures, tests)
    owner_s: float | None = None
    light_columns: int = 64  # columns relit in one light step
    flat_light: bool = False  # one light tap a fragment instead of four
    # light is made by compute shaders, where the context has them; else on the CPU, with the same pixels
    gpu_light: bool = False
    # whether draw commands lie in buffers, where the context can: None for what it can; same pixels
    indirect: bool | None = None
    radius_columns: int = 8  # where the world is meant to end, for the fog; what is loaded may be less
    first_pages: int = 8192  # pages the quad arena starts with
    first_bricks: int = 1024  # bricks each volume starts with
    # what bricks of block ids and light may take together; None: what the driver bears. Where light is made on the GPU,
    # all of them are needed: there is none.
    gpu_budget_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.gpu_light and self.gpu_budget_bytes is not None:
            raise ValueError("light made on the GPU needs all block ids there: gpu_budget_bytes must be None")
