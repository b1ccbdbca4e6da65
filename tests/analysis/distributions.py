"""Classical distributions as models, with their integrals and growth vectors from the literature.

[M] Montgomery, A Tour of Subriemannian Geometries (2002); [J] Jean, ESAIM: COCV 1 (1996) 241 (trailers);
[B] Bryant and others, Exterior Differential Systems (1991); [L] Lewis and others, Proc. IEEE ICRA (1994).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Classical:
    name: str
    coordinates: str  # "x=0 y=1"
    constraints: tuple[str, ...]
    growth: tuple[int, ...]  # in general
    holonomic: bool
    integrals: int = 0
    here: tuple[int, ...] | None = None  # the state is special
    parameters: str = ""
    shown: tuple[str, ...] = ()
    closed: bool = True  # its integrals have closed forms

    @property
    def text(self) -> str:
        names = dict(pair.split("=") for pair in self.coordinates.split())
        lines = ["[parameters]", *(pair.replace("=", " = ") for pair in self.parameters.split()), "[coordinates]"]
        lines += [f"{name} = {value}" for name, value in names.items()]
        squares = " + ".join(f"{name}'^2" for name in names)
        lines += ["[energy]", f'kinetic = "({squares})/2"', "[constraints]"]
        return "\n".join([*lines, *(f'row{i} = "{row}"' for i, row in enumerate(self.constraints, 1))])


def _trailers(count: int, angles: str) -> tuple[str, tuple[str, ...]]:
    """A car (x, y, a0, with a1 … behind it, each hitched to the axle before) and its rows of axles that do not slip."""
    rows = []
    x, y = "x'", "y'"
    for i in range(count + 1):
        rows.append(f"({x})*sin(a{i}) - ({y})*cos(a{i}) = 0")
        x, y = f"{x} + sin(a{i + 1})*a{i + 1}'", f"{y} - cos(a{i + 1})*a{i + 1}'"
    values = angles.split()
    return "x=0 y=0 " + " ".join(f"a{i}={value}" for i, value in enumerate(values)), tuple(rows)


KNIFE = "x'*sin(a) - y'*cos(a) = 0"
CLASSICAL = [
    Classical("knife edge [M 1.4]", "x=0 y=0 a=0.3", (KNIFE,), (2, 3), False),
    Classical("upright disk [M 1.4]", "x=0 y=0 a=0.3 b=0", ("x' = cos(a)*b'", "y' = sin(a)*b'"), (2, 3, 4), False),
    Classical("sleigh, blade ahead of the origin", "x=0 y=0 a=0.3",
              ("y'*cos(a) - x'*sin(a) = c*a'",), (2, 3), False, parameters="c=0.4"),
    Classical("snakeboard [L]", "x=0 y=0 a=0.3 s=0 f=0.5",
              ("x'*sin(a + f) - y'*cos(a + f) = cos(f)*a'", "x'*sin(a - f) - y'*cos(a - f) = -cos(f)*a'"),
              (3, 4, 5), False),
    Classical("ball that rolls [M 6.2: with spin]", "x=0 y=0 a=0.3 b=0.7 c=0.2",
              ("x' = b'*sin(a) - c'*sin(b)*cos(a)", "y' = -b'*cos(a) - c'*sin(b)*sin(a)"), (3, 5), False),
    Classical("ball that does not spin [M 6.2]", "x=0 y=0 a=0.3 b=0.7 c=0.2",
              ("x' = b'*sin(a) - c'*sin(b)*cos(a)", "y' = -b'*cos(a) - c'*sin(b)*sin(a)", "a' + c'*cos(b) = 0"),
              (2, 3, 5), False),
    Classical("contact in three dimensions [B II.3]", "x=0.2 y=0.4 z=0", ("z' = y*x'",), (2, 3), False),
    Classical("contact in five dimensions [B II.3]", "x=0.2 y=0.4 z=0 u=0.1 w=0.3",
              ("z' = y*x' + u*w'",), (4, 5), False),
    Classical("Martinet, off its surface [M 3.1]", "x=0.5 y=0.4 z=0", ("z' = x^2*y'",), (2, 3), False),
    Classical("Martinet, on its surface [M 3.1]", "x=0 y=0.4 z=0", ("z' = x^2*y'",), (2, 3), False, here=(2, 2, 3)),
    Classical("Engel [M 6.11]", "x=0.2 y=0.4 z=0 w=0.3", ("y' = z*x'", "z' = w*x'"), (2, 3, 4), False),
    Classical("Goursat in six dimensions [B II.4]", "x=0.2 y=0.4 z=0 w=0.3 u=0.6 r=0.1",
              ("y' = z*x'", "z' = w*x'", "w' = u*x'", "u' = r*x'"), (2, 3, 4, 5, 6), False),
    Classical("Hilbert and Cartan's (2, 3, 5) [M 6.8]", "x=0.2 y=0.4 p=0 r=0.3 z=0.6",
              ("y' = p*x'", "p' = r*x'", "z' = r^2*x'"), (2, 3, 5), False),
    Classical("car with two trailers [J]", *_trailers(2, "0.3 0.5 0.9"), (2, 3, 4, 5), False),
    Classical("car with two trailers, one across [J]", *_trailers(2, "0.3 '0.3+pi/2' 0.9"),
              (2, 3, 4, 5), False, here=(2, 3, 4, 4, 5)),
    Classical("car with three trailers [J]", *_trailers(3, "0.3 0.5 0.9 1.2"), (2, 3, 4, 5, 6), False),
    Classical("integrable, not exact", "x=1 y=2 z=0", ("x*y' - y*x' = 0",), (2,), True, 1, shown=("x/y",)),
    Classical("exact though it does not look so", "x=1 y=2", ("x'*y + x*y' = 0",), (1,), True, 1, shown=("x*y",)),
    Classical("any single row in two dimensions", "x=1 y=2", ("x' = sin(x*y)*y'",), (1,), True, 1, closed=False),
    Classical("integrable with a factor of e^-x", "x=1 y=2 z=0.5", ("z' = (z + x)*x'",), (2,), True, 1),
    Classical("whole though neither row is alone [B II.1]", "x=1 y=2 z=0.5 w=0.3",
              ("z' = w*x'", "w' = z*x'"), (2,), True, 2),
    Classical("an integrable part, not a row of it", "x=1 y=2 z=0.5 w=0.3",
              ("z' = y*x' + w'", "w' = y*x'"), (2, 3), False, 1, shown=("z - 2*w",)),
    Classical("two wheels on an axle (Long)", "x=0 y=0 a=0.4 b=0 c=0",
              ("x' = b'*sin(a)", "y' = -b'*cos(a)", "c' = b' + 2*a'"), (2, 3, 4), False, 1),
    Classical("nonholonomic until a coordinate is held", "x=0 y=1 z=0", ("y = 1", "z' = y*x'"), (1,), True, 1),
    Classical("affine: a contact form with dt", "x=0.3 y=0.2", ("y' = x",), (2, 3), False),
    Classical("rheonomic and integrable", "x=1 y=0.2", ("x' = t*x",), (2,), True, 1),
    Classical("rheonomic and not", "x=1 y=0.2 z=0", ("x' = t*y' + z'",), (3, 4), False),
    Classical("a wheel on a turning table", "x=0.3 y=0.1 a=0.2",
              ("(x' + w*y)*sin(a) - (y' - w*x)*cos(a) = 0",), (3, 4), False, parameters="w=0.7"),
]  # fmt: skip
