"""`audit`: whether given equations are those of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dalembert.model.record import Model
from dalembert.results.audit import Audit


def audit(record: Model, equations: Any) -> Audit:
    """Compare equations with the model's. They are text, a list of texts, a path, or SymPy's objects."""
    from dalembert.analysis.audit import audited
    from dalembert.exchange.foreign import equations_of

    return audited(record, equations_of(Path(equations) if _is_path(equations) else equations))


def _is_path(given: Any) -> bool:
    """Whether a text names a file: it exists as a file, or it ends like one and is not an equation."""
    if not isinstance(given, str) or len(given) > 250 or set("\n\0=()") & set(given):
        return False
    return Path(given).is_file() or Path(given).suffix in (".txt", ".py", ".eq")
