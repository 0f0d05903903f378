"""Bytes of the Bedrock wire: cursors, varints, limits, and one field description for both directions."""

from net.wire.fields import Field, Kind, Record, decode_fields, encode_fields
from net.wire.profile import Dialect, Profile
from net.wire.reader import Reader
from net.wire.writer import Writer

__all__ = ["Dialect", "Field", "Kind", "Profile", "Reader", "Record", "Writer", "decode_fields", "encode_fields"]
