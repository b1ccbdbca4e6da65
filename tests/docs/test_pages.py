"""README and every page of docs: commands and Python code run and print the shown output; links have targets.

Commands are the lines after `$ dalembert` of console blocks, indented lines that begin with `dalembert`, and commands
in the text between backticks. The lines of a console block below a command must be in the output of the command,
numbers to 1e-6; `…` stands for more.
"""

from __future__ import annotations

import inspect
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.collection import names, summary
from dalembert.formalisms import METHODS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE = sorted((ROOT / "docs" / "reference").glob("*.md"))
PATTERN = re.compile(r"MODEL|NAME|FILE|PICTURE|\[|…|<")  # the syntax of a command is not a command
ELSEWHERE = re.compile(r"dalembert (lab\b|\S+ .*--(gpu|cluster)\b)")  # serves until it is stopped; needs other machines
SLOW = re.compile(r"analyze (?!long-1)|linearize .* --vary")  # they take seconds


@dataclass(frozen=True)
class Call:
    """A command of a page, and the output that the page shows."""

    page: str
    command: str
    shown: tuple[str, ...] = ()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def calls(page: Path) -> list[Call]:
    """The commands in the order of the page: a plot may need the sweep before it."""
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(ROOT).with_suffix(""))
    found: dict[str, Call] = {}
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, *shown = part.splitlines()
            found.setdefault(command(line), Call(name, command(line), tuple(shown)))
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for line in [*re.findall(r"^    (dalembert .*)", prose, re.MULTILINE), *re.findall(r"`(dalembert [^`]*)`", prose)]:
        found.setdefault(command(line), Call(name, command(line)))
    return [call for call in found.values() if is_whole(call.command)]


def command(line: str) -> str:
    return re.sub(r"\s+#.*", "", line).strip()


def is_whole(line: str) -> bool:
    """Whether the line is a complete command, not its syntax or its name."""
    if not line.startswith("dalembert ") or PATTERN.search(line) or ELSEWHERE.match(line):
        return False
    return len(line.split()) > 2 or line == "dalembert gallery"


def words(line: str) -> list[str | float]:
    """Numbers as numbers: their last digits differ between machines."""
    return [float(w) if re.fullmatch(r"[-+]?\d+\.\d+(e[-+]?\d+)?", w) else w for w in line.split()]


def same(shown: list[str | float], printed: list[str | float]) -> bool:
    if len(shown) != len(printed):
        return False
    return all(
        b == (pytest.approx(a, rel=1e-6) if isinstance(a, float) else a) for a, b in zip(shown, printed, strict=True)
    )


def groups() -> list:
    """The calls of a page in order, because some need the files of others; slow calls are a test of their own."""
    found = []
    for page in PAGES:
        quick, slow = [], []
        for call in calls(page):
            (slow if SLOW.search(call.command) else quick).append(call)
        name = str(page.relative_to(ROOT))
        if quick:
            found.append(pytest.param(quick, id=name))
        if slow:
            found.append(pytest.param(slow, id=f"{name}, slow", marks=pytest.mark.slow))
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with README's model in it."""
    monkeypatch.chdir(tmp_path)
    readme = PAGES[0].read_text(encoding="utf-8")
    Path("sleigh.toml").write_text(blocks(readme, "toml")[0], encoding="utf-8")
    return tmp_path


def test_there_are_commands():
    assert sum(len(calls(page)) for page in PAGES) > 35
    assert all(len(calls(ROOT / f"docs/papers/{name}.md")) >= 2 for name in "long sun zhangmei qiao wanggao".split())


@pytest.mark.parametrize("page", groups())
def test_commands(page, folder, capsys):
    for call in page:
        status = run(shlex.split(call.command)[1:])
        answer = capsys.readouterr()
        assert status == 0 and answer.out.strip(), f"{call.command}\n{answer.err}"
        printed = [words(line) for line in answer.out.splitlines()]
        for line in call.shown:
            if line != "…" and "drift" not in line:  # more lines follow; drift is rounding
                begun = words(line.removesuffix("…"))
                assert any(same(begun, other[: len(begun)] if line.endswith("…") else other) for other in printed), (
                    f"{call.command} does not print\n{line}"
                )
        named = re.search(r"(?:-o|--output) (\S+)", call.command)
        assert named is None or (folder / named[1]).exists()


def with_python() -> list:
    slow = {"conserved.md": pytest.mark.slow}
    pages = [page for page in PAGES if blocks(page.read_text(encoding="utf-8"), "python")]
    return [pytest.param(page, id=page.name, marks=slow.get(page.name, ())) for page in pages]


@pytest.mark.parametrize("page", with_python())
def test_python(page, folder):
    """All code blocks of a page in order. Pages assume that `model` and `run` exist."""
    model = da.load("sleigh.toml")
    known = {"da": da, "model": model, "run": model.simulate(duration=1)}
    with plt.rc_context({"figure.max_open_warning": 0}):
        for block in blocks(page.read_text(encoding="utf-8"), "python"):
            exec(compile(block, str(page), "exec"), known)  # noqa: S102 - our own pages
    plt.close("all")


def anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r'^--8<-- "(.*)"$', text, re.MULTILINE):  # a file of the repository that the page includes
        text += (ROOT / name).read_text(encoding="utf-8")
    heads = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(page: Path) -> list[tuple[Path, str]]:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if not re.match(r"https?:", target):
            file, _, anchor = target.partition("#")
            found.append(((page.parent / file).resolve() if file else page, anchor))
    return found


@pytest.mark.parametrize("page", [pytest.param(p, id=str(p.relative_to(ROOT))) for p in PAGES])
def test_links(page):
    for file, anchor in links(page):
        assert file.exists(), f"{page.name} leads to {file}, which is not there"
        assert not anchor or anchor in anchors(file), f"{page.name} leads to #{anchor}, which {file.name} does not have"


def test_every_page_and_picture_is_reached_from_the_contents():
    contents = {file for file, _ in links(ROOT / "docs" / "README.md")}
    pages = {p for p in PAGES if p.name != "README.md"}
    assert pages <= contents, sorted(str(p) for p in pages - contents)
    assert ROOT / "docs" / "README.md" in {file for file, _ in links(ROOT / "README.md")}
    pictures = {p for ending in ("png", "svg") for p in (ROOT / "docs").glob(f"*.{ending}")}
    shown = {file for page in PAGES for file, _ in links(page)}
    assert pictures <= shown, sorted(str(p) for p in pictures - shown)


def test_every_model_of_the_gallery_is_on_its_page():
    rows = re.findall(
        r"^\| `([a-z0-9-]+)` \| (.*?) \|", (ROOT / "docs" / "gallery.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(rows) == sorted((name, summary(name)[0]) for name in names())


@pytest.mark.parametrize("page", ["README.md", "docs/bibliography.md", "docs/explanation/methods.md"])
def test_every_method_is_named(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in METHODS if f"`{name}`" not in text] == []


def test_every_public_name_is_in_the_reference():
    text = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    named = {
        *re.findall(r"^::: dalembert\.(?:\w+\.)*(\w+)$", text, re.MULTILINE),
        *re.findall(r"`(?:da\.)?(\w+)", text),
    }
    assert set(da.__all__) - {"__version__"} <= named


def test_every_public_name_and_method_has_an_example():
    shown = "".join(block for page in REFERENCE for block in blocks(page.read_text(encoding="utf-8"), "python"))
    notebook = {"Model.lab", "Animation.widget", "Animation.mp4", "Model.of"}  # of notebooks, of an extra, and private
    lacking = [name for name in da.__all__ if not re.search(rf"\bda\.{name}\b", shown)]
    for name in da.__all__:
        kind = getattr(da, name)
        if not isinstance(kind, type) or issubclass(kind, (BaseException, da.Expression)):
            continue
        for method, function in inspect.getmembers(kind, inspect.isfunction):
            named = f"{name}.{method}"
            asked = not method.startswith("_") and method not in ("to_dict", "blocks", "csv") and named not in notebook
            if asked and ">>>" not in (function.__doc__ or "") and f".{method}(" not in shown:
                lacking.append(named)
    assert lacking == ["__version__"]
