"""A scene file that cannot be used."""

from client.errors import UsageError


class BadScene(UsageError):
    """The message is one sentence for the file's author.

    Attributes:
        place: the file, where one is to blame.
    """

    place: str = ""
