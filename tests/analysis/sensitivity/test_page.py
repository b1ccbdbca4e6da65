"""The fit on the page of sensitivities finds the parameters of its data. `tests/docs` runs all pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "sensitivities.md"


def test_python() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict = {}
    exec("import dalembert as da\n" + "\n".join(blocks), names)  # noqa: S102 (our own page)
    assert names["fit"].x == pytest.approx([1.3, 0.8, -0.4], abs=0.03)
