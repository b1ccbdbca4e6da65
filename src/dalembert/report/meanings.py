"""What the letters of named quantities mean: a sentence for each letter that occurs, told once in a derivation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.language import Sentences, mark, tr

ONCE = mark("Quantities are written once, before the lines that contain them.")
MEANING: Sentences = {
    "r": "r is the place of a point or of a body's centre.",
    "v": "v is the velocity of a point or of a body's centre.",
    "v,": "v with a coordinate as its last index is a partial velocity.",
    "a": "a is the acceleration of a body's centre.",
    "U": "U is an acceleration without the terms in q̈; with a letter as its first index, that letter's second rate.",
    "n": "n are the components of a frame's axes.",
    "omega": "ω is the angular velocity of a frame, in its own axes.",
    "omega,": "ω with a coordinate as its last index is a partial angular velocity.",
    "kappa": "κ is the rate of ω without the terms in q̈.",
    "W": "W = [κ]× + [ω]×[ω]×.",
    "Omega": "Ω is the angular velocity of a body in inertial axes.",
    "alpha": "α is the angular acceleration of a body.",
    "H": "H = Jκ + ω×Jω.",
    "S": "S is a body's share of the energy of accelerations.",
    "N": "N is the normal of a contact.",
    "tau": "τ and η are the tangents of a contact.",
    "s": "s is the arm from a body's centre to the contact.",
    "c": "c is the velocity of the body's point at the contact.",
    "rho": "ρ is a root.",
    "D": "D, d, A and b are the entries of D q̈ = d + Aᵀλ and A q̈ = b.",
    "Q": "d = Q − h, with the forces Q.",
    "E": "E = d/dt ∂f/∂q̇ − ∂f/∂q.",
    ",": "A coordinate as a further index is a partial derivative, by the speed if the quantity contains speeds.",
    ";": "A coordinate after a semicolon is a partial derivative by that coordinate.",
    "M": "M are the coefficients of the rates in an equation.",
    "Gamma": "Γ are the coefficients of the speeds and of their products.",
    "g": "g is the rest of an equation.",
}
SAME = {"eta": "tau", "d": "D", "A": "D", "b": "D", "h": "Q"}  # explained with another letter
PARTIAL = {"v": 3, "omega": 3}  # number of indices with which a letter is a partial velocity
ALONE = {"n", "W", "D", "A", "M", "Gamma", "d", "b", "Q", "h", "f", "g", "E", "S", "Omega", "alpha", "H", "a"}


class Explained:
    """Letters that a derivation has explained so far."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def about(self, symbols: Iterable[Any], coordinates: Iterable[str]) -> list[str]:
        """Sentences about the letters of these symbols that were not explained before."""
        names = set(coordinates)
        wanted = {key for symbol in symbols for key in _keys(symbol.name, names)} - self._told
        self._told |= wanted
        first = [] if "once" in self._told else [tr(ONCE)]
        self._told.add("once")
        found = [tr(sentence) for key, sentence in MEANING.items() if key in wanted]
        return [*first, *found] if found else []


def _keys(name: str, coordinates: set[str]) -> list[str]:
    letter, bracket, inside = name.rstrip("'").partition("[")
    if not bracket:
        return []
    first, semicolon, _ = inside.rstrip("]").partition(";")
    indices = first.split(", ")
    letter = SAME.get(letter, letter)
    keys = [letter]
    if len(indices) > 1 and indices[-1] in coordinates and letter not in ALONE:
        keys = [f"{letter},"] if len(indices) == PARTIAL.get(letter) else [letter, ","]
    return [*keys, *([";"] if semicolon else [])]
