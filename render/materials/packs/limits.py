"""How much of a pack is read at most. Packs come from anywhere; the game's own of 1.26.40 is far below each limit."""

from typing import Final

MOST_SIDE_PX: Final = 4096
"""Of an image, either way."""
MOST_FILES: Final = 65536
"""Of a pack; 1.26.40 has some 12,000."""
MOST_FILE_BYTES: Final = 64 << 20
"""Of one file, unpacked: an image of 4096 x 4096 at 32 bits without compression."""
MOST_PACK_BYTES: Final = 1 << 30
"""Of everything read from one pack, unpacked, over its life."""
MOST_JSON_BYTES: Final = 16 << 20
MOST_TILE_PX: Final = 128
"""Of a picture as it is kept; larger ones are averaged down to it."""
MOST_PICTURE_BYTES: Final = 512 << 20
"""Of all pictures that are kept of a stack of packs."""
MOST_FRAMES: Final = 256
"""Of one strip of pictures."""
MOST_STEPS: Final = 8
"""From a texture that only names another to the one that names a file."""
MOST_TROUBLES: Final = 1000
"""That are kept of one pack; the others are counted."""
