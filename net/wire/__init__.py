"""Bytes of the Bedrock wire: cursors, varints, limits, and one field description for both directions.

cursor  A place in bytes being read, and how much a peer may make us hold
fields  One description of a packet's fields, read in both directions, and the dialects it knows
"""

from net.wire.cursor import Reader, Writer
from net.wire.fields import Dialect, Field, Kind, Profile, Record, decode_fields, encode_fields

__all__ = ["Dialect", "Field", "Kind", "Profile", "Reader", "Record", "Writer", "decode_fields", "encode_fields"]
