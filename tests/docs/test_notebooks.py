"""The example notebooks run from the first cell to the last, and every last line shows something rich."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import dalembert as da

FOLDER = Path(__file__).parents[2] / "examples"
BOOKS = sorted(FOLDER.glob("*.ipynb"))
RICH = {"text/html", "text/latex", "image/png", "application/vnd.jupyter.widget-view+json"}


def test_there_are_notebooks() -> None:
    assert len(BOOKS) >= 3


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_no_output_is_kept(path: Path) -> None:
    """Stored outputs would become stale and make every diff unreadable."""
    book = json.loads(path.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert "%" not in "".join(cell["source"]), "a magic line"


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if ".lab(" in path.read_text(encoding="utf-8"):
        pytest.importorskip("anywidget")
    source = str(Path(da.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH")))))
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": FOLDER}}
    ).execute()
    shown = [cell.outputs[-1] for cell in book.cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) == sum(cell.cell_type == "code" for cell in book.cells)
    rich = [output for output in shown if RICH & set(output.get("data", {}))]
    assert len(rich) >= len(shown) - 2  # a tuple of numbers is shown as it is
