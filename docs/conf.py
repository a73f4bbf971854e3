"""Sphinx configuration. `make docs` builds the site into build/docs."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools" / "docs"))

import reference  # noqa: E402

from inarow.version import __version__  # noqa: E402

reference.write_pages(Path(__file__).parent / "reference" / "generated")

project = "inarow"
author = "The inarow maintainers"
copyright = "2026, The inarow authors"
release = version = __version__

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
smartquotes = False
suppress_warnings = ["myst.header"]  # generated study reports skip heading levels
exclude_patterns = ["reference/generated"]

html_theme = "furo"
html_title = "inarow"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
