"""The tutorial notebook runs, is kept without outputs, and decides what it says it does."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


def test_the_tutorial_runs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code)  # the documentation has them; here they would only age
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output["data"] for cell in code for output in cell.outputs if "data" in output]
    assert "<p>Undecided after" in shown[0]["text/html"]
    assert "<p>paper is best" in shown[1]["text/html"]
    assert "data:image/png" in shown[1]["text/html"]
    assert "<td>foam</td>" in shown[1]["text/html"]
    assert "its variance is above 0.04" in shown[1]["text/html"]
    assert shown[2]["text/plain"].startswith("('best', 'paper', ")
    assert shown[-1]["text/plain"] == "6"
