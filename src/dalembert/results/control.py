"""Inputs and outputs of a linearization: A, B, C, D, transfer functions, responses, ranks and a regulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.language import tr

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture

Array = np.ndarray
ENDINGS = (".csv", ".json", ".png", ".svg")
POINTS = 201  # of a response


def _pairs(values: Array) -> list[list[float]]:
    return [[value.real, value.imag] for value in values.tolist()]


@dataclass(frozen=True, slots=True)
class Transfer:
    """G(s) = gain ∏ (s − zero) / ∏ (s − pole) from one input to one output, without factors that cancel."""

    input: str
    output: str
    gain: float  # g of G(s) = g ∏(s − zero)/∏(s − pole)
    zeros: Array
    poles: Array

    @property
    def numerator(self) -> Array:
        """Coefficients, the highest power first."""
        return np.atleast_1d(self.gain * np.real(np.poly(self.zeros))) if self.gain else np.zeros(1)

    @property
    def denominator(self) -> Array:
        return np.atleast_1d(np.real(np.poly(self.poles)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "input": self.input,
            "output": self.output,
            "gain": self.gain,
            "zeros": _pairs(self.zeros),
            "poles": _pairs(self.poles),
            "numerator": self.numerator.tolist(),
            "denominator": self.denominator.tolist(),
        }


@dataclass(frozen=True, slots=True)
class ReachedStates:
    """The number of states that the inputs can move (or the outputs can see), and the eigenvalues of the rest."""

    rank: int
    of: int
    left: Array

    def to_dict(self) -> dict[str, Any]:
        return {"rank": self.rank, "of": self.of, "left": _pairs(self.left)}


@dataclass(frozen=True, slots=True)
class Regulator:
    """u = u₀ − K (x − x₀), which minimizes ∫ (δxᵀ Q δx + δuᵀ R δu) dt.

    `feedback` states it as expressions of the model language, in SI. As values of the model's inputs they close the
    loop. An input that a sampled controller sets gets the gain as the law of that controller, at its instants.
    """

    K: Array  # u = u₀ − K (x − x₀)
    Q: Array  # weights of the states
    R: Array  # weights of the inputs
    poles: Array  # of the closed loop
    feedback: Mapping[str, str]  # lines of [inputs] or [sampled.NAME], by input
    controllers: Mapping[str, str] = field(default_factory=dict)  # NAME for inputs that a sampled controller sets

    @property
    def tables(self) -> dict[str, dict[str, str]]:
        """The feedback by tables of the model file."""
        found: dict[str, dict[str, str]] = {}
        for name, text in self.feedback.items():
            table = f"sampled.{self.controllers[name]}" if name in self.controllers else "inputs"
            found.setdefault(table, {})[name] = text
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name).tolist() for name in "KQR"},
            "poles": _pairs(self.poles),
            "feedback": dict(self.feedback),
            **({"controllers": dict(self.controllers)} if self.controllers else {}),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Control:
    """δẋ = A δx + B δu, δy = C δx + D δu about a state, all in SI; u₀ and y₀ are the values there."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...]
    A: Array
    B: Array
    C: Array
    D: Array
    operating: Mapping[str, float]  # u₀
    measured: Mapping[str, float]  # y₀
    poles: Array  # eigenvalues of A
    transfers: tuple[Transfer, ...]  # one for each pair of input and output
    controllability: ReachedStates
    observability: ReachedStates
    lqr: Regulator | None = None  # the regulator, if the call asked for one
    title: str = ""

    def transfer(self, output: str, input: str) -> Transfer:
        """The transfer function from an input to an output."""
        for one in self.transfers:
            if (one.input, one.output) == (input, output):
                return one
        known = tr(
            "inputs are {inputs}, outputs {outputs}", inputs=", ".join(self.inputs), outputs=", ".join(self.outputs)
        )
        raise KeyError(f"there is no transfer function from {input!r} to {output!r}; {known}")

    @property
    def frequencies(self) -> Array:
        """Frequencies in rad/s that cover all poles and zeros."""
        sizes = np.abs(np.concatenate([self.poles, *(one.zeros for one in self.transfers)]))
        sizes = sizes[sizes > 1e-9 * sizes.max(initial=0.0)]
        low, high = (sizes.min(), sizes.max()) if len(sizes) else (1.0, 1.0)
        return np.geomspace(low / 30, high * 30, POINTS)

    def response(self, frequencies: Array | Sequence[float]) -> Array:
        """G(iω) at frequencies in rad/s: a matrix (outputs × inputs) for each. Infinite at a pole."""
        omega = np.atleast_1d(np.asarray(frequencies, dtype=float))
        n = len(self.A)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = []
            for one in omega.tolist():
                try:
                    found.append(self.C @ np.linalg.solve(1j * one * np.eye(n) - self.A, self.B) + self.D)
                except np.linalg.LinAlgError:
                    found.append(np.full(self.D.shape, np.inf, complex))
        return np.array(found)

    @property
    def duration(self) -> float:
        """Five times the time constant of the fastest growth or of the slowest decay, or else four periods."""
        growth = self.poles.real.max(initial=0.0)
        size = np.abs(self.poles).max(initial=0.0)
        fading = -self.poles.real[self.poles.real < -1e-7 * size]
        turns = np.abs(self.poles)[np.abs(self.poles) > 1e-7 * size]
        if growth > 1e-7 * size:
            return float(5.0 / growth)
        if len(fading):
            return float(5.0 / fading.min())
        return float(8 * np.pi / turns.min()) if len(turns) else 10.0

    def step(self, times: Array | Sequence[float] | None = None) -> tuple[Array, Array]:
        """Times, and the outputs after a unit step of each input at zero: (times × outputs × inputs)."""
        from scipy.linalg import expm

        t = np.linspace(0.0, self.duration, POINTS) if times is None else np.asarray(times, dtype=float)
        n, m = self.B.shape
        whole = np.zeros((n + m, n + m))
        whole[:n, :n], whole[:n, n:] = self.A, self.B
        moved = np.array([expm(whole * one)[:n, n:] for one in t.tolist()])
        return t, self.C @ moved + self.D

    def to_dict(self) -> dict[str, Any]:
        omega = self.frequencies
        found, (times, steps) = self.response(omega), self.step()
        phases = np.degrees(np.unwrap(np.angle(found), axis=0))

        def named(values: Array) -> dict[str, dict[str, list[float]]]:
            return {
                output: {name: values[:, i, j].tolist() for j, name in enumerate(self.inputs)}
                for i, output in enumerate(self.outputs)
            }

        return {
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "states": list(self.states),
            **{name: getattr(self, name).tolist() for name in "ABCD"},
            "operating": dict(self.operating),
            "measured": dict(self.measured),
            "poles": _pairs(self.poles),
            "transfer_functions": [one.to_dict() for one in self.transfers],
            "controllability": self.controllability.to_dict(),
            "observability": self.observability.to_dict(),
            "bode": {"frequencies": omega.tolist(), "magnitude": named(np.abs(found)), "phase": named(phases)},
            "step": {"times": times.tolist(), "values": named(steps)},
            "lqr": None if self.lqr is None else self.lqr.to_dict(),
        }

    def plot(self) -> Picture:
        """Bode diagram and step responses."""
        from dalembert.results.plots.control import figure

        return figure(self)

    def save(self, path: str | Path) -> None:
        """Write a file. Its ending chooses the form: .json all, .csv the frequency response, .png .svg pictures."""
        from dalembert.results.write import save_answer

        save_answer(self, Path(path), ENDINGS)

    def csv(self, path: Path) -> None:
        """Write the table."""
        omega = self.frequencies
        found = self.response(omega)
        heads, columns = ["omega"], [omega]
        for i, output in enumerate(self.outputs):
            for j, name in enumerate(self.inputs):
                heads += [f"|{output}/{name}|", f"phase({output}/{name}) [deg]"]
                columns += [np.abs(found[:, i, j]), np.degrees(np.unwrap(np.angle(found[:, i, j])))]
        lines = [",".join(repr(value) for value in row) for row in np.column_stack(columns).tolist()]
        path.write_text("\n".join([",".join(heads), *lines]) + "\n", encoding="utf-8")

    def __str__(self) -> str:
        from dalembert.results.text.control import control_text

        return control_text(self)

    def __repr__(self) -> str:
        return f"<Control: {len(self.states)} states, from {', '.join(self.inputs)} to {', '.join(self.outputs)}>"

    def _repr_html_(self) -> str:
        from dalembert.results.plots import picture
        from dalembert.results.text.notebook import control_html

        return control_html(self, picture(self.plot(), "png"))
