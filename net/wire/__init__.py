"""Bytes of the Bedrock wire: cursors, varints, limits, and one field description for both directions.

cursor   A place in bytes being read
dialect  Which wire is spoken: a protocol number and one of two profiles
fields   One description of a packet's fields, read in both directions
limits   How much a peer may make us hold
"""

from net.wire.cursor import Reader, Writer
from net.wire.dialect import Dialect, Profile
from net.wire.fields import Field, Kind, Record, decode_fields, encode_fields

__all__ = ["Dialect", "Field", "Kind", "Profile", "Reader", "Record", "Writer", "decode_fields", "encode_fields"]
