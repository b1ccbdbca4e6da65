"""The examples in docstrings run and print what they show, in every module that has some."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import dalembert

HOME = Path(dalembert.__file__).parent
FILES = [file for file in sorted(HOME.rglob("*.py")) if "    >>> " in file.read_text(encoding="utf-8")]
NAMES = [".".join(("dalembert", *file.relative_to(HOME).with_suffix("").parts)) for file in FILES]
EXAMPLES = [test for name in NAMES for test in doctest.DocTestFinder().find(import_module(name)) if test.examples]


@pytest.mark.parametrize("test", EXAMPLES, ids=lambda test: test.name)
def test_an_example(test: doctest.DocTest) -> None:
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failures.append)
    assert not failures, "".join(failures)
