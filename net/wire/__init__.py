"""Bytes of the Bedrock wire: cursors, varints, limits, and one field description for both directions.

cursor  Reads and writes bytes, and the limits of received data
fields  One description of a packet's fields for both directions, and its dialects
"""

from net.wire.cursor import Reader, Writer
from net.wire.fields import Dialect, Field, Kind, Profile, Record, decode_fields, encode_fields

__all__ = ["Dialect", "Field", "Kind", "Profile", "Reader", "Record", "Writer", "decode_fields", "encode_fields"]
