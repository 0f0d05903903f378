"""The tables; owned by the session."""

from client.entities.picture import NO_ENTITIES, EntityPicture


class Entities:
    """Of one session."""

    def picture(self) -> EntityPicture:
        """What is to be drawn now; the same object until something changes."""
        return NO_ENTITIES
