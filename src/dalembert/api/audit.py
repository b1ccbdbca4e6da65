"""`audit`: whether given equations are those of a model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dalembert.model.record import ModelRecord
from dalembert.results.audit import Audit


def audit(record: ModelRecord, equations: Any) -> Audit:
    """Compare equations with the model's: text, a list of texts, a path, FILE.c:FUNCTION, or SymPy's objects."""
    from dalembert.analysis.audit import audited
    from dalembert.exchange.foreign import equations_of
    from dalembert.prepared import require_closed

    require_closed(record)
    code = re.fullmatch(r"(.+\.c):(\w+)", str(equations)) if isinstance(equations, (str, Path)) else None
    if code is not None:
        from dalembert.exchange.foreign_c import equations_in

        return audited(record, equations_in(Path(code[1]), code[2], record))
    return audited(record, equations_of(Path(equations) if _is_path(equations) else equations))


def _is_path(given: Any) -> bool:
    """Whether a text names a file: it exists as a file, or it ends like one and is not an equation."""
    if not isinstance(given, str) or len(given) > 250 or set("\n\0=()") & set(given):
        return False
    return Path(given).is_file() or Path(given).suffix in (".txt", ".py", ".eq")
