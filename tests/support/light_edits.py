"""Single blocks that change, of the 24 that ``FakeTable`` knows, where light has most to cross."""

import numpy as np

PLACEHOLDER = 15


def any_edit(rng: np.random.Generator) -> tuple[int, int]:
    """A cell, half of the time at a border of its sub-chunk, and what comes there: often air, never a placeholder."""
    cell = int(rng.integers(4096))
    side = int(rng.integers(0, 12))
    if side < 6:
        field = (0xF00, 0xF0, 0xF)[side >> 1]
        cell = cell & ~field if side & 1 else cell | field
    block = 0 if rng.random() < 0.4 else int(rng.choice([b for b in range(24) if b != PLACEHOLDER]))
    return cell, block
