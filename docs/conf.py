"""Sphinx settings: `sphinx-build -W -b html docs docs/_build/html`."""

from surefoot import __version__

project = "Surefoot"
author = "The Surefoot authors"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3  # so that pages can link to each other's sections
nb_execution_mode = "force"  # notebooks are kept without outputs
nb_execution_raise_on_error = True
nb_execution_timeout = 120
default_role = "code"  # what stands between backticks in a docstring
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
exclude_patterns = [
    "_build",
    "guarantees_table.md",
    "verification_table.md",
    "mutants_table.md",
    "limit_table.md",
    "approach_table.md",
    "peeking_table.md",
    "warnings_table.md",
    "gate_table.md",
]

html_theme = "furo"
html_title = f"Surefoot {version}"
