"""The site: ``sphinx-build --fail-on-warning docs site``."""

import importlib.metadata

project = "byheart"
author = "the authors of byheart"
release = version = importlib.metadata.version("byheart")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site"]
myst_heading_anchors = 4  # links to headings, as GitHub makes them

html_theme = "furo"
html_title = f"byheart {release}"
html_show_sourcelink = False
