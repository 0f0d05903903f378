"""A mod for ``chunkscope serve --mod``: hides a chest in every column, and places a torch where one is dug out."""


def generated(column):
    """Called for a new column: places a chest in it, four to eight blocks below the ground."""
    chance = column.random
    x, z = column.x * 16 + int(chance.integers(16)), column.z * 16 + int(chance.integers(16))
    y = column.ground(x, z) - int(chance.integers(4, 9))
    if y > column.low_y:
        column.set_block(x, y, z, "chest")


def edited(edit):
    """Called for a changed block: places a torch in air above a chest."""
    if edit.name == "minecraft:air" and edit.block(edit.x, edit.y - 1, edit.z).endswith("chest"):
        edit.set_block(edit.x, edit.y, edit.z, "torch")
