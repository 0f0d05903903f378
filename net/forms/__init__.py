"""What people write for us: TOML files read strictly, each mistake told by file, line and key.

Knows no file's meaning: fault scripts (``net.server``) and scenes (``render.capture``) bring their forms.
"""

from net.forms.toml_tables import Form, Read, TomlTables, WrongValue

__all__ = ["Form", "Read", "TomlTables", "WrongValue"]
