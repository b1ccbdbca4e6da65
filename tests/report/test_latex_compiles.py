"""Documents compile without changes: pdfLaTeX for English, XeLaTeX with ctex for documents with Chinese."""

import re
import shutil
import subprocess

import pytest

import dalembert as da
from dalembert.formalisms import applicable
from dalembert.language import LANGUAGES, speaking
from dalembert.papers import PAPERS, lines_of
from dalembert.papers.render import latex
from dalembert.report.latex import document
from small_models import SLEIGH

MARGIN = 15  # pt: a fourth of the margin of a page, 20 mm
TITLE = '"雪橇, with a blade: 100 % θ_1 & more"'
NAMED = SLEIGH.replace('"雪橇"', TITLE, 1).replace("a = 0.2", '"μ质" = 0.2').replace("a*", "μ质*")


def compiled(text, folder):
    """Compile a document. The log must not report letters that the font lacks, or lines that leave the page."""
    engine = "xelatex" if "% XeLaTeX" in text else "pdflatex"
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    (folder / "document.tex").write_text(text, encoding="utf-8")
    call = [engine, "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    log = (folder / "document.log").read_text(encoding="utf-8", errors="replace")
    assert "Missing character" not in log, [line for line in log.splitlines() if "Missing character" in line][:3]
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(wide, default=0) < MARGIN, wide
    assert (folder / "document.pdf").stat().st_size > 1000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "method"), [("sun-3", "normalized-routh"), ("zhang-mei-ball", "boltzmann-hamel")])
def test_a_derivation(name, method, language, tmp_path):
    with speaking(language):
        compiled(da.gallery(name).derive(method).latex(steps=True), tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_course(language, tmp_path):
    with speaking(language):
        derived = [
            da.gallery(name).derive(description="whole-course").latex(steps=True)
            for name in ("bouncing-ball", "zhang-mei-ball-paper")
        ]
        compiled(document(map(body, derived)), tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_chinese_title_and_names(language, loaded, tmp_path):
    with speaking(language):
        text = loaded(NAMED, "雪橇").derive("kane").latex(steps=True)
    assert "雪橇" in text and "?" not in text
    compiled(text, tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_of_other_scripts(language, loaded, tmp_path):
    """A Russian title is printed by a font that has its letters. Names have Latin, Greek or Chinese letters."""
    russian = SLEIGH.replace('"雪橇"', '"Сани Чаплыгина"', 1)
    with speaking(language):
        text = loaded(russian).derive("kane").latex(steps=True)
    assert "Сани Чаплыгина" in text and "fontspec" in text
    compiled(text, tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_stay_on_the_page_in_both_languages(language, tmp_path):
    with speaking(language):
        compiled(da.gallery("rolling-sphere").derive().latex(steps=True), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", da.gallery())
def test_every_derivation_of_the_gallery(name, language, tmp_path):
    """All methods of a model, with steps and without, one after the other in one document."""
    model = da.gallery(name)
    with speaking(language):
        derived = [model.derive(method) for method in applicable(model.record)]
        texts = [derivation.latex(steps) for derivation in derived for steps in (False, True)]
        compiled(document(map(body, texts)), tmp_path)


def body(text):
    return text.partition("\\begin{document}")[2].rpartition("\\end{document}")[0]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAPERS)
def test_every_paper(name, language, tmp_path):
    with speaking(language):
        compiled(latex(PAPERS[name], lines_of(name)), tmp_path)
