"""The examples in docstrings of the public names run and print what they show."""

from __future__ import annotations

import doctest

import pytest

import dalembert.api.model


@pytest.mark.parametrize(
    "test", [t for t in doctest.DocTestFinder().find(dalembert.api.model) if t.examples], ids=lambda test: test.name
)
def test_an_example(test: doctest.DocTest) -> None:
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failures.append)
    assert not failures, "".join(failures)
