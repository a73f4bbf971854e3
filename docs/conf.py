"""Sphinx configuration. `make docs` builds the site into build/docs."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools" / "docs"))

import course  # noqa: E402
import reference  # noqa: E402

from inarow.version import __version__  # noqa: E402

reference.write_pages(Path(__file__).parent / "reference" / "generated")

project = "inarow"
author = "The inarow maintainers"
copyright = "2026, The inarow authors"
release = version = __version__

extensions = ["myst_nb", "sphinx_copybutton", "mathml"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
html_math_renderer = "mathml"
myst_heading_anchors = 4
smartquotes = False
suppress_warnings = ["myst.header"]  # generated study reports skip heading levels
exclude_patterns = ["reference/generated"]

# Notebooks are executed anew. Boards are shown as pictures: the page loads no scripts for widgets from the network.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_output_stderr = "warn"
nb_merge_streams = True
nb_code_prompt_show = "Show the solution"
nb_code_prompt_hide = "Hide the solution"
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
nb_ipywidgets_js = {}
os.environ.update(course.kernel_settings(ROOT / "build" / "jupyter"))

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = "inarow"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
