"""The Sphinx configuration: ``python -m sphinx -W --keep-going -b html docs .cache/docs``."""

project = "chunkscope"
copyright = "the chunkscope contributors"
author = "the chunkscope contributors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples", "pictures"]
nitpicky = True
myst_heading_anchors = 4
html_theme = "furo"
html_title = "chunkscope"
html_copy_source = False
html_show_sphinx = False
