"""Single equations and matrices in LaTeX: they compile in a user's document."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

import dalembert as da
from dalembert.report.dialects import Latex

DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath}
\setcounter{MaxMatrixCols}{99}
\begin{document}
\input{disk.tex}
%s
\end{document}
"""


def test_pieces(tmp_path):
    (path,) = da.gallery("chaplygin-sleigh").export("latex", tmp_path / "sleigh.tex", method="chetaev")
    text = path.read_text()
    names = re.findall(r"\\csname dalembert\.sleigh\.(\S+?)\\endcsname", text)
    assert names == [
        *("q", "M", "d", "A", "b", "R", "multipliers", "kinetic", "potential"),
        *("equation.x", "equation.y", "equation.theta", "constraint.blade", "acceleration.blade"),
    ]
    assert (
        path.read_bytes()
        == da.gallery("chaplygin-sleigh").export("latex", tmp_path / "sleigh.tex", method="chetaev")[0].read_bytes()
    )


def test_every_part_is_written_once(tmp_path, monkeypatch):
    """Entries of matrices occur again in the equations."""
    written, first = [], Latex._node
    monkeypatch.setattr(Latex, "_node", lambda self, node, done: written.append(node) or first(self, node, done))
    da.gallery("rolling-disk").export("latex", tmp_path / "disk.tex")
    assert len(written) == len(set(written)) > 50


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here: pdflatex is not installed")
@pytest.mark.parametrize("name", ["rolling-disk", "bouncing-ball"])
def test_compiled(name, tmp_path):
    (path,) = da.gallery(name).export("latex", tmp_path / "disk.tex")
    names = re.findall(r"\\csname dalembert\.(disk\.\S+?)\\endcsname", path.read_text())
    assert len(names) > 5
    body = "\n".join(rf"\[ \dalembert{{{one}}} \]" for one in names)
    (tmp_path / "a.tex").write_text(DOCUMENT % body)
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-800:]
