"""The tasks of workers. Each takes plain values, reports its progress, and answers with bytes.

To add a task: a function here, a line in TASKS, a route in `routes.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import MathematicsError, ModelError
from dalembert.lab import cache
from dalembert.lab.lines import located
from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.results.motion import Motion

Arguments = Mapping[str, Any]
Told = Callable[[float], None]
SHOWN = 601  # samples of a motion on the screen
ENOUGH = 0.7  # of the time limit, within which an analysis ends its parts by itself
PICTURED = 240  # instants of a picture


def load() -> None:
    """Load the modules for motions, and derive the first model of the page, before anybody asks."""
    from dalembert.collection import text

    motion({"text": text(cache.FIRST), "samples": 3, "until": 0.01}, lambda fraction: None)


def load_formulas() -> None:
    """Load the modules for formulas."""
    import latex2mathml.converter  # noqa: F401
    import sympy  # noqa: F401


def faults_in(arguments: Arguments, error: ModelError) -> dict[str, Any]:
    """The faults of a model at their lines."""
    text = arguments.get("text")
    return {} if text is None else {"faults": [fault.to_dict() for fault in located(text, error.faults)]}


def check(arguments: Arguments, told: Told) -> bytes:
    """Check the text of a model: its faults, or its sliders and choices."""
    from dalembert.lab.described import described

    try:
        return _json({"ok": True, "faults": [], "model": described(cache.model(arguments["text"]))})
    except ModelError as error:
        return _json({"ok": False, **faults_in(arguments, error)})


def derive(arguments: Arguments, told: Told) -> bytes:
    """The equations by a method."""
    from dalembert.lab.formulas import equations

    eq = cache.derived(arguments["text"], arguments.get("method"))
    return _json({"method": eq.method, "notes": list(eq.notes), "sections": equations(eq)})


def steps(arguments: Arguments, told: Told) -> bytes:
    """The steps of the derivation by a method."""
    from dalembert.lab.formulas import derivation

    eq = cache.derived(arguments["text"], arguments.get("method"))
    return _json({"method": eq.method, "steps": derivation(eq)})


def _moved(arguments: Arguments, told: Told, samples: int | None) -> tuple[Any, Motion]:
    from dalembert.api.motion import simulate_from

    start = cache.compiled(arguments["text"], arguments.get("method")).at(arguments.get("settings"))
    return start, simulate_from(
        start,
        until=arguments.get("until"),
        samples=arguments.get("samples") or samples,
        tolerance=arguments.get("tolerance"),
        progress=told,
    )


def motion(arguments: Arguments, told: Told) -> bytes:
    """A motion for the screen: scene and plots, and how it was computed."""
    from dalembert.lab.screen import shown
    from dalembert.programs.functions import ALWAYS, patience

    with patience(ALWAYS):  # a dragged slider must not wait for a compiler
        start, found = _moved(arguments, told, SHOWN)
        answer = shown(start, found, cache.stage(arguments["text"]), bool(arguments.get("data")))
    return _json(answer | {"work": cache.work()})


def laboratory(arguments: Arguments, told: Told) -> bytes:
    """The data from which the page computes motions by itself, or the reason why it cannot."""
    from dalembert.view.laboratory import laboratory as carried

    try:
        return _json(carried(cache.model(arguments["text"]), arguments.get("method")))
    except (ModelError, MathematicsError) as error:
        return _json({"refused": str(error)})


def compare(arguments: Arguments, told: Told) -> bytes:
    """The state and motion by every method, and which of them agree."""
    from dalembert.api.compare import compare as compared
    from dalembert.model.change import with_settings

    model = with_settings(cache.model(arguments["text"]), arguments.get("settings") or {})
    found = compared(model, arguments.get("methods"), arguments.get("until"), arguments.get("samples"))
    return _json(found.to_dict())


def analyze(arguments: Arguments, told: Told) -> bytes:
    """The analysis of a model."""
    from dalembert.api.analyze import SECONDS
    from dalembert.api.analyze import analyze as analyzed
    from dalembert.lab.parts import shown
    from dalembert.model.change import with_settings

    model = with_settings(cache.model(arguments["text"]), arguments.get("settings") or {})
    return _json(shown(analyzed(model, seconds=min(SECONDS, ENOUGH * arguments["limit"]))))


def vary(arguments: Arguments, told: Told) -> bytes:
    """The root locus over a quantity, or a sweep over one or two."""
    from dalembert.lab.varied import locus, sweep
    from dalembert.model.change import with_settings

    model = with_settings(cache.model(arguments["text"]), arguments.get("settings") or {})
    axes, method = arguments["vary"], arguments.get("method")
    if arguments["study"] == "locus":
        return _json(locus(model, axes, method, bool(arguments.get("steady"))))
    records = arguments.get("records") or []
    return _json(sweep(model, axes, records, told, method=method, until=arguments.get("until")))


def file(arguments: Arguments, told: Told) -> bytes:
    """A file to download, of the given kind."""
    kind = arguments["kind"]
    if kind == "toml":
        return _with_values(arguments).encode()
    if kind.endswith("tex") or kind == "steps.html":
        return _derivation(arguments, kind).encode()
    _, found = _moved(arguments, told, None)
    with tempfile.TemporaryDirectory(prefix="dalembert-lab-") as folder:
        path = Path(folder) / f"motion.{kind}"
        found.save(path)
        return path.read_bytes()


def _with_values(arguments: Arguments) -> str:
    """The text of the model with the set values."""
    from dalembert.model.change import with_settings
    from dalembert.model.write import write_text

    return write_text(with_settings(cache.model(arguments["text"]), arguments.get("settings") or {}))


def _derivation(arguments: Arguments, kind: str) -> str:
    from dalembert.report.derivation import Derivation

    eq = cache.derived(arguments["text"], arguments.get("method"))
    derivation = Derivation(eq, tr(cache.model(arguments["text"]).title))
    return derivation.html(steps=True) if kind == "steps.html" else derivation.latex(steps=kind.startswith("steps"))


def picture(arguments: Arguments, told: Told) -> bytes:
    """The scene of a model's motion with few instants and no plots, for a small picture in the gallery."""
    from dalembert.api.motion import simulate
    from dalembert.view.scene import scene

    model = cache.model(arguments["text"])
    found = scene(simulate(model, samples=SHOWN, progress=told), model, most=PICTURED)
    return _json(found | {"panels": [], "arrows": [], "couples": [], "events": [], "notes": []})


def _json(answer: Mapping[str, Any]) -> bytes:
    from dalembert.results.write import json_text

    return json_text(dict(answer)).encode()


TASKS: dict[str, Callable[[Arguments, Told], bytes]] = {
    "check": check,
    "derive": derive,
    "steps": steps,
    "motion": motion,
    "laboratory": laboratory,
    "compare": compare,
    "analyze": analyze,
    "vary": vary,
    "file": file,
    "picture": picture,
}
