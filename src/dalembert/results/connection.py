"""The answer of `connect`: a vakonomic motion between two configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dalembert.results.motion import Array, Motion

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture
    from dalembert.view.animation import Animation

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True, repr=False)
class Connection:
    """The motion, its speeds and multipliers at the start, its action ∫ L dt, and its distance from the goal."""

    motion: Motion
    to: Numbers  # the given coordinates at the end
    free: tuple[str, ...]  # coordinates that are free at the end
    initial_speeds: Numbers
    initial_multipliers: Numbers
    action: float  # ∫ (T − V) dt
    residual: float  # distance from the end
    others: tuple[float, ...] = ()  # actions of the other motions that were found; all are greater

    def __getitem__(self, name: str) -> Array:
        return self.motion[name]

    def save(
        self,
        path: str | Path,
        *,
        names: Sequence[str] | None = None,
        kind: Literal["time", "phase", "path"] | None = None,
        of: str | Sequence[str] | None = None,
    ) -> None:
        """The motion to a file, as `Motion.save`."""
        self.motion.save(path, names=names, kind=kind, of=of)

    def plot(
        self,
        names: Sequence[str] | None = None,
        *,
        kind: Literal["time", "phase", "path"] = "time",
        of: str | Sequence[str] = (),
    ) -> Picture:
        """The motion as a picture, as `Motion.plot`."""
        return self.motion.plot(names, kind=kind, of=of)

    def animate(self, path: str | Path | None = None) -> Animation:
        """The motion as a page; `motion.animate` has more options."""
        return self.motion.animate(path)

    def _repr_png_(self) -> bytes:
        return self.motion._repr_png_()

    def to_dict(self) -> dict[str, Any]:
        """The answer of `connect --json`: that of `simulate --json`, and `connection`."""
        return {
            **self.motion.to_dict(),
            "connection": {
                "to": dict(self.to),
                "free": list(self.free),
                "initial_speeds": dict(self.initial_speeds),
                "initial_multipliers": dict(self.initial_multipliers),
                "action": self.action,
                "residual": self.residual,
                "other_actions": list(self.others),
            },
        }

    def __str__(self) -> str:
        from dalembert.results.text.connection import connection_text

        return connection_text(self)

    def __repr__(self) -> str:
        return f"<Connection to {dict(self.to)}: action {self.action:.6g}, misses by {self.residual:.1e}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """For a notebook: the picture alone, and the picture with the initial values of the motion."""
        from dalembert.results.text.notebook import connection_html

        picture = self._repr_png_()
        return {"image/png": picture, "text/html": connection_html(self, picture), "text/plain": repr(self)}
