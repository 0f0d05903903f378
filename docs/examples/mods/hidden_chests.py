"""A mod for ``chunkscope serve --mod``: hides a chest in every column, and puts a torch where one is dug out."""


def generated(column):
    """A column was made: somewhere in it, four to eight blocks below the ground, lies a chest."""
    chance = column.random
    x, z = column.x * 16 + int(chance.integers(16)), column.z * 16 + int(chance.integers(16))
    y = column.ground(x, z) - int(chance.integers(4, 9))
    if y > column.low_y:
        column.set_block(x, y, z, "chest")


def edited(edit):
    """A block was changed: air above a chest is lit."""
    if edit.name == "minecraft:air" and edit.block(edit.x, edit.y - 1, edit.z).endswith("chest"):
        edit.set_block(edit.x, edit.y, edit.z, "torch")
