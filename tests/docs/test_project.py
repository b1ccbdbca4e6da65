"""Pages, workflows, docstrings and comments name targets of make, files, folders and rooms that exist."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import dalembert as da

ROOT = Path(__file__).parents[2]
PAGES = ["CONTRIBUTING.md", "README.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "docs/project/random-models.md"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FROM = [ROOT, ROOT / "src" / "dalembert"]  # paths on pages are relative to these
ALONE = {file.name for top in (FROM[1], ROOT / "tests", ROOT / ".github") for file in top.rglob("*.*")}
TOPS = ("docs", "src", "tests", "tools", "benchmarks", "examples")
MADE = ("my", "out/", ".venv/")  # files of an example, and outputs of commands

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="not a checkout of the repository")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [*PAGES, *(str(file.relative_to(ROOT)) for file in WORKFLOWS)])
def test_targets_of_make(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    named = re.findall(r"(?:^\$ |`|run: )make ([a-z-]+)", text(page), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize("page", PAGES)
def test_files_and_folders(page: str) -> None:
    shown = re.findall(r"`([\w./-]+)`", text(page)) + re.findall(r"\b((?:tools|tests|src|docs)/[\w./-]*\w)", text(page))
    paths = [path for path in shown if "/" in path or re.search(r"\.(py|md|toml|hpp|po|json|js|yaml|cff)$", path)]
    own = [path for path in paths if not path.startswith(MADE) and "my" not in re.split(r"\W|_", path)]
    assert [path for path in own if not any((start / path).exists() for start in FROM) and path not in ALONE] == []


def test_files_that_docs_docstrings_and_comments_name() -> None:
    tops = "|".join(path.name for start in FROM for path in start.iterdir() if (path / "__init__.py").exists())
    folders = f"(?:docs|src|tests|tools|benchmarks|examples|{tops})/"
    path = re.compile(rf"(?<![\w./-]){folders}[\w./-]+\.(?:py|md|hpp|cu|cpp|toml|json|ipynb)\b|`\w+\.(?:py|hpp|cu)`")
    missing = []
    for file in [f for top in TOPS for f in (ROOT / top).rglob("*.*") if f.suffix in (".md", ".py", ".hpp", ".cu")]:
        if ".venv" in file.parts:
            continue  # that of the benchmarks
        starts = (*FROM, file.parent, file.parent.parent)
        for name in (found.strip("`") for found in path.findall(file.read_text(encoding="utf-8"))):
            if not any((start / name).exists() for start in starts) and name not in ALONE:
                missing.append(f"{file.relative_to(ROOT)} names {name}")
    assert missing == [], "\n".join(missing)


def test_every_room_is_shown() -> None:
    rooms = {path.stem for path in (ROOT / "src" / "dalembert").iterdir() if path.suffix in ("", ".py")}
    rooms = {room for room in rooms if not room.startswith("__") and room != "locale"}
    table = "\n".join(line for line in text("CONTRIBUTING.md").splitlines() if line.startswith("| `"))
    assert rooms <= set(re.findall(r"`(\w+)`", table)), sorted(rooms - set(re.findall(r"`(\w+)`", table)))


def test_every_folder_of_tests_is_shown() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name[0] not in "._"}
    table = "\n".join(line for line in text("CONTRIBUTING.md").splitlines() if line.startswith("| `"))
    assert folders <= set(re.findall(r"`(\w+)`", table)), sorted(folders - set(re.findall(r"`(\w+)`", table)))


def test_the_test_matrix() -> None:
    matrix = text(".github/workflows/test.yml")
    versions = tomllib.loads(text("pyproject.toml"))["project"]["classifiers"]
    asked = [found[1] for line in versions if (found := re.fullmatch(r".* :: (3\.\d+)", line))]
    assert "python: [" + ", ".join(f'"{version}"' for version in asked) + "]" in matrix
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in matrix


def test_the_citation_has_the_version() -> None:
    assert re.search(rf"^version: {re.escape(da.__version__)}$", text("CITATION.cff"), re.MULTILINE)


def test_coverage_is_of_lines() -> None:
    spec = importlib.util.spec_from_file_location("covered", ROOT / "tools" / "covered.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.told({"covered_lines": 90, "num_statements": 100, "percent_covered": 85.0}) == (
        "90.0 % of the lines are covered; at least 90 % are asked for",
        True,
    )
    assert not tool.told({"covered_lines": 899, "num_statements": 1000})[1]
    files = {
        "src/dalembert/programs/jets.py": {"summary": {"covered_branches": 3, "num_branches": 4}},
        "src/dalembert/errors.py": {"summary": {"covered_branches": 0, "num_branches": 2}},
    }
    assert tool.branches(files) == "branches that were taken: all 50 %, errors 0 %, programs 75 %"


def test_the_release_check_asks_for_files_that_exist() -> None:
    asked = re.findall(r'"([\w./-]+\.(?:toml|js|pyi?|typed))"', text("tools/release_check.py") + text("tools/smoke.py"))
    inside = [
        name for name in asked if not name.startswith(("src/", "tests/", "tools/", "pyproject", "smoke", "motion"))
    ]
    assert "collection/rolling-disk.toml" in inside
    assert [name for name in inside if not (FROM[1] / name).is_file()] == []
