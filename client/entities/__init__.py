"""Entities of the dimension that the player is in: tables of what the server sent, not an object an entity.

metadata      Names of metadata keys and flags, and how metadata is stored
move_kernels  Kernel that applies moves to rows of the tables
picture       Frozen snapshots of entities for drawing
table         The tables; owned by the session
"""

from client.entities.move_kernels import GLIDE_US as GLIDE_US
from client.entities.picture import TRACK_S as TRACK_S
from client.entities.picture import EntityPicture as EntityPicture
from client.entities.picture import EntityTracks as EntityTracks
from client.entities.table import Entities as Entities
