"""Entities of the dimension that the player is in, as the server tells of them: tables, not an object an entity.

metadata      Names of what metadata says, and how it is kept
move_kernels  Moves, applied to rows of the tables
picture       What a picture of entities is made of: a snapshot
table         The tables; owned by the session
"""

from client.entities.move_kernels import GLIDE_US as GLIDE_US
from client.entities.picture import NO_ENTITIES as NO_ENTITIES
from client.entities.picture import TRACK_S as TRACK_S
from client.entities.picture import EntityPicture as EntityPicture
from client.entities.picture import EntityTracks as EntityTracks
from client.entities.table import Entities as Entities
