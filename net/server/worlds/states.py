"""Short spelling for the block states of protocol 486 that the worlds are built of."""

from net.palette import BlockState


def state(name: str, **properties: int | str) -> BlockState:
    """``state("log", old_log_type="oak", pillar_axis="y")``: the namespace is added, the properties are sorted."""
    return BlockState(f"minecraft:{name}", tuple(sorted(properties.items())))
