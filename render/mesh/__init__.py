"""Block slots of a render cell and its neighbourhood -> packed quads."""
