"""Equations as books, courses and documentation print them: none is accused, and errors in them are found.

A model states masses, positions, energies and constraints in its own way. The equations are those of the source.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import sympy
from sympy.physics import mechanics as me

import dalembert as da
from dalembert.model.read import read_text


@dataclass(frozen=True)
class Printed:
    source: str
    coordinates: str
    parameters: str
    model: str  # the rest of the model file
    equations: tuple[str, ...]
    speeds: str = ""

    def audit(self, equations=None):
        tables = {"parameters": self.parameters, "coordinates": self.coordinates, "speeds": self.speeds}
        text = "\n".join(f"[{name}]\n" + "\n".join(rows.split("; ")) for name, rows in tables.items() if rows)
        model = da.Model.of(read_text(text + "\n" + self.model, "printed"))
        return model.audit(list(equations or self.equations))


def energy(kinetic: str, potential: str = "0", more: str = "") -> str:
    return f'[energy]\nkinetic = "{kinetic}"\npotential = "{potential}"\n{more}'


WEIGHT = '[forces.weight]\nbody = "bob"\nforce = [0, 0, "-m*g"]\n'


def body(*position: str) -> str:
    """A particle of mass m, by its position."""
    return f'[bodies.bob]\nmass = "m"\nposition = {list(position)}\n'


def support(x: str, z: str) -> str:
    """A pendulum, φ from below, that hangs on a point which moves."""
    return body(f"{x} + l*sin(phi)", "0", f"{z} - l*cos(phi)") + WEIGHT


PUBLIC = [
    Printed(
        "PyDy, mass-spring-damper",
        "x = 0.1",
        "m = 1; c = 0.3; k = 2; g = 9.81; F = 0.4",
        energy("m*x'^2/2", "k*x^2/2 - m*g*x - F*x", 'dissipation = "c*x\'^2/2"'),
        ("m*x'' + c*x' + k*x = m*g + F",),
    ),
    Printed(
        "PyDy, double pendulum",
        "a = 0.3; b = 0.5",
        "m = 1.2; n = 0.7; l = 0.8; k = 0.6; g = 9.81",
        energy("(m + n)*l^2*a'^2/2 + n*k^2*b'^2/2 + n*l*k*a'*b'*cos(a - b)", "-(m + n)*g*l*cos(a) - n*g*k*cos(b)"),
        (
            "(m + n)*l*a'' + n*k*b''*cos(a - b) + n*k*b'^2*sin(a - b) + (m + n)*g*sin(a) = 0",
            "k*b'' + l*a''*cos(a - b) - l*a'^2*sin(a - b) + g*sin(b) = 0",
        ),
    ),
    Printed(
        "Landau & Lifshitz, §5, problem 2: a pendulum on a mass that slides",
        "x = 0.1; phi = 0.4",
        "M = 2; m = 1; l = 0.7; g = 9.81",
        '[bodies.slider]\nmass = "M"\nposition = ["x", 0, 0]\n' + support("x", "0"),
        ("(M + m)*x'' + m*l*phi''*cos(phi) - m*l*phi'^2*sin(phi) = 0", "l*phi'' + x''*cos(phi) + g*sin(phi) = 0"),
    ),
    Printed(
        "Landau & Lifshitz, §5, problem 3a: the support goes round a circle",
        "phi = 0.4",
        "m = 1; l = 0.7; a = 0.2; w = 3; g = 9.81",
        support("a*cos(w*t)", "a*sin(w*t)"),
        ("l*phi'' = a*w^2*cos(phi - w*t) - g*sin(phi)",),
    ),
    Printed(
        "Landau & Lifshitz, §5, problem 3b: the support oscillates sideways",
        "phi = 0.4",
        "m = 1; l = 0.7; a = 0.2; w = 3; g = 9.81",
        support("a*cos(w*t)", "0"),
        ("l*phi'' = a*w^2*cos(w*t)*cos(phi) - g*sin(phi)",),
    ),
    Printed(
        "Landau & Lifshitz, §5, problem 3c, Kapitza's pendulum",
        "phi = 0.4",
        "m = 1; l = 0.7; a = 0.2; w = 3; g = 9.81",
        support("0", "-a*cos(w*t)"),
        ("l*phi'' + (g + a*w^2*cos(w*t))*sin(phi) = 0",),
    ),
    Printed(
        "Goldstein, a bead on a hoop that turns",
        "theta = 0.6",
        "m = 1; R = 0.5; w = 5; g = 9.81",
        body("R*sin(theta)*cos(w*t)", "R*sin(theta)*sin(w*t)", "-R*cos(theta)") + WEIGHT,
        ("R*theta'' = R*w^2*sin(theta)*cos(theta) - g*sin(theta)",),
    ),
    Printed(
        "Goldstein, the spherical pendulum",
        "theta = 0.6; phi = 0.1",
        "m = 1; l = 0.5; g = 9.81",
        body("l*sin(theta)*cos(phi)", "l*sin(theta)*sin(phi)", "-l*cos(theta)") + WEIGHT,
        (
            "theta'' = phi'^2*sin(theta)*cos(theta) - g/l*sin(theta)",
            "sin(theta)^2*phi'' + 2*sin(theta)*cos(theta)*theta'*phi' = 0",
        ),
        "phi = 1",
    ),
    Printed(
        "Goldstein, Atwood's machine",
        "x = 0.2",
        "m = 1.5; n = 1; l = 2; g = 9.81",
        energy("(m + n)*x'^2/2", "-m*g*x - n*g*(l - x)"),
        ("x'' = (m - n)*g/(m + n)",),
    ),
    Printed(
        "Goldstein, the central force",
        "r = 1; phi = 0",
        "m = 1.3; k = 2",
        body("r*cos(phi)", "r*sin(phi)", "0") + '[energy]\npotential = "-k/r"',
        ("r'' = r*phi'^2 - k/(m*r^2)", "r*phi'' + 2*r'*phi' = 0"),
        "phi = 1",
    ),
    Printed(
        "Goldstein, a bead on a wire that turns",
        "r = 0.4",
        "m = 1; w = 2",
        body("r*cos(w*t)", "r*sin(w*t)", "0"),
        ("r'' = w^2*r",),
    ),
    Printed(
        "Goldstein, a bead on a parabola that turns",
        "r = 0.4",
        "m = 1; w = 2; a = 0.7; g = 9.81",
        body("r*cos(w*t)", "r*sin(w*t)", "a*r^2") + '[energy]\npotential = "m*g*a*r^2"',
        ("(1 + 4*a^2*r^2)*r'' + 4*a^2*r*r'^2 - w^2*r + 2*a*g*r = 0",),
    ),
    Printed(
        "Goldstein, a hoop that rolls down, with the multiplier",
        "x = 0; theta = 0",
        "m = 1; R = 0.4; al = 0.3; g = 9.81",
        energy("m*x'^2/2 + m*R^2*theta'^2/2", "-m*g*x*sin(al)") + "[constraints]\nroll = \"x' = R*theta'\"",
        ("m*x'' - m*g*sin(al) + lam = 0", "m*R^2*theta'' - lam*R = 0"),
    ),
    Printed(
        "the elastic pendulum",
        "r = 1.1; theta = 0.3",
        "m = 1; k = 30; l = 1; g = 9.81",
        body("r*sin(theta)", "0", "-r*cos(theta)") + '[energy]\npotential = "k*(r - l)^2/2 - m*g*r*cos(theta)"',
        ("r'' = r*theta'^2 + g*cos(theta) - k/m*(r - l)", "r*theta'' + 2*r'*theta' + g*sin(theta) = 0"),
    ),
    Printed(
        "Arnold, an oscillator in a frame that turns",
        "x = 0.3; y = 0.1",
        "W = 0.8; k = 2",
        energy("((x' - W*y)^2 + (y' + W*x)^2)/2", "k*(x^2 + y^2)/2"),
        ("x'' - 2*W*y' - W^2*x + k*x = 0", "y'' + 2*W*x' - W^2*y + k*y = 0"),
    ),
    Printed(
        "Rosenberg, the particle with z' = y x'",
        "x = 0; y = 0.4; z = 0",
        "m = 1.2",
        body("x", "y", "z") + "[constraints]\nrow = \"z' = y*x'\"",
        ("x'' + y*x'*y'/(1 + y^2) = 0", "y'' = 0"),
        "x = 1; y = 0.5",
    ),
    Printed(
        "Bloch, the knife edge on a plane that slopes",
        "x = 0; y = 0; phi = 0.3",
        "m = 1; J = 0.2; al = 0.4; g = 9.81",
        energy("m*(x'^2 + y'^2)/2 + J*phi'^2/2", "-m*g*x*sin(al)")
        + "[constraints]\nblade = \"x'*sin(phi) = y'*cos(phi)\"",
        ("m*x'' = lam*sin(phi) + m*g*sin(al)", "m*y'' = -lam*cos(phi)", "J*phi'' = 0"),
        "phi = 1",
    ),
    Printed(
        "Bloch, the vertical rolling disk with steering",
        "x = 0; y = 0; theta = 0; phi = 0.2",
        "m = 1; I = 0.1; J = 0.05; R = 0.3; u = 0.4",
        energy("m*(x'^2 + y'^2)/2 + I*theta'^2/2 + J*phi'^2/2", "-u*phi")
        + "[constraints]\nalong = \"x' = R*cos(phi)*theta'\"\nacross = \"y' = R*sin(phi)*theta'\"",
        ("(I + m*R^2)*theta'' = 0", "J*phi'' = u"),
        "theta = 2",
    ),
    Printed(
        "Bloch, Chaplygin's sleigh in a and ω",
        "x = 0; y = 0; theta = 0.2",
        "m = 1; J = 0.3; a = 0.4",
        energy("m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2)/2 + J*theta'^2/2")
        + "[constraints]\nblade = \"y'*cos(theta) = x'*sin(theta)\"",
        (
            "x''*cos(theta) + y''*sin(theta) = a*theta'^2",
            "(J + m*a^2)*theta'' + m*a*theta'*(x'*cos(theta) + y'*sin(theta)) = 0",
        ),
        "x = 1; theta = 0.4",
    ),
    Printed(
        "Goldstein, the heavy symmetric top",
        "phi = 0; theta = 0.5; psi = 0",
        "A = 0.2; C = 0.1; m = 1; l = 0.3; g = 9.81",
        energy("A*(theta'^2 + phi'^2*sin(theta)^2)/2 + C*spin^2/2", "m*g*l*cos(theta)")
        + "[definitions]\nspin = \"psi' + phi'*cos(theta)\"",
        (
            "A*theta'' = A*phi'^2*sin(theta)*cos(theta) - C*spin*phi'*sin(theta) + m*g*l*sin(theta)",
            "A*phi''*sin(theta)^2 + 2*A*theta'*phi'*sin(theta)*cos(theta) = C*spin*theta'*sin(theta)",
            "psi'' + phi''*cos(theta) = phi'*theta'*sin(theta)",
        ),
        "phi = 1; psi = 20",
    ),
    Printed(
        "two masses between three springs",
        "x = 0.1; y = 0",
        "m = 1; k = 3",
        energy("m*(x'^2 + y'^2)/2", "k*(x^2 + y^2 + (y - x)^2)/2"),
        ("m*x'' = -k*x + k*(y - x)", "m*y'' = -k*y - k*(y - x)"),
    ),
    Printed(
        "Furuta's pendulum, as Cazzolato and Prime print it",
        "a = 0.1; b = 0.4",
        "K = 0.3; J = 0.1; m = 1; L = 0.4; l = 0.3; g = 9.81; c = 0.02; d = 0.01; tau = 0.2",
        energy(
            "(K + J*sin(b)^2)*a'^2/2 + J*b'^2/2 + m*L*l*cos(b)*a'*b'",
            "-m*g*l*cos(b) - tau*a",
            "dissipation = \"c*a'^2/2 + d*b'^2/2\"",
        ),
        (
            "a''*(K + J*sin(b)^2) + b''*m*L*l*cos(b) - m*L*l*sin(b)*b'^2 + a'*b'*sin(2*b)*J + c*a' = tau",
            "a''*m*L*l*cos(b) + b''*J - a'^2*sin(2*b)*J/2 + d*b' + g*m*l*sin(b) = 0",
        ),
    ),
    Printed(
        "Tedrake, the acrobot",
        "a = 0.1; b = 0.4",
        "I = 0.3; J = 0.1; m = 1; n = 0.8; L = 1; c = 0.5; d = 0.4; g = 9.81; tau = 0.2",
        energy(
            "I*a'^2/2 + (n*L^2 + J + 2*n*L*d*cos(b))*a'^2/2 + J*b'^2/2 + (J + n*L*d*cos(b))*a'*b'",
            "-m*g*c*cos(a) - n*g*(L*cos(a) + d*cos(a + b)) - tau*b",
        ),
        (
            "(I + J + n*L^2 + 2*n*L*d*cos(b))*a'' + (J + n*L*d*cos(b))*b'' - 2*n*L*d*sin(b)*b'*a' - n*L*d*sin(b)*b'^2"
            " + m*g*c*sin(a) + n*g*(L*sin(a) + d*sin(a + b)) = 0",
            "(J + n*L*d*cos(b))*a'' + J*b'' + n*L*d*sin(b)*a'^2 + n*g*d*sin(a + b) = tau",
        ),
    ),
    Printed(
        "Tedrake, the cart-pole",
        "x = 0; theta = 0.4",
        "M = 2; m = 0.5; l = 0.6; g = 9.81; f = 0.3",
        energy("(M + m)*x'^2/2 + m*x'*theta'*l*cos(theta) + m*l^2*theta'^2/2", "-m*g*l*cos(theta) - f*x"),
        (
            "x'' = (f + m*sin(theta)*(l*theta'^2 + g*cos(theta)))/(M + m*sin(theta)^2)",
            "theta'' = (-f*cos(theta) - m*l*theta'^2*cos(theta)*sin(theta) - (M + m)*g*sin(theta))"
            "/(l*(M + m*sin(theta)^2))",
        ),
    ),
    Printed(
        "Tedrake, the planar quadrotor",
        "x = 0; z = 1; theta = 0.1",
        "m = 1; I = 0.1; r = 0.2; u = 5; w = 6; g = 9.81",
        energy("m*(x'^2 + z'^2)/2 + I*theta'^2/2", "m*g*z")
        + '[forces.rotors]\ngeneralized = { x = "-(u + w)*sin(theta)", z = "(u + w)*cos(theta)", theta = "r*(u - w)" }',
        ("m*x'' = -(u + w)*sin(theta)", "m*z'' = (u + w)*cos(theta) - m*g", "I*theta'' = r*(u - w)"),
    ),
    Printed(
        "Spong, the pendulum with a reaction wheel",
        "a = 0.3; b = 0",
        "I = 0.4; J = 0.05; m = 1; l = 0.5; g = 9.81; tau = 0.1",
        energy("(m*l^2 + I)*a'^2/2 + J*(a' + b')^2/2", "-m*g*l*cos(a) - tau*b"),
        ("(m*l^2 + I + J)*a'' + J*b'' + m*g*l*sin(a) = 0", "J*(a'' + b'') = tau"),
    ),
    Printed(
        "the ball and the beam",
        "r = 0.3; al = 0.1",
        "J = 0.2; I = 0.001; R = 0.02; m = 0.1; g = 9.81; tau = 0.05",
        energy("(I/R^2 + m)*r'^2/2 + (J + m*r^2)*al'^2/2", "m*g*r*sin(al) - tau*al"),
        ("(I/R^2 + m)*r'' + m*g*sin(al) - m*r*al'^2 = 0", "(m*r^2 + J)*al'' + 2*m*r*r'*al' + m*g*r*cos(al) = tau"),
    ),
    Printed(
        "Wilberforce's pendulum",
        "z = 0.1; theta = 0",
        "m = 0.5; I = 0.001; k = 3; d = 0.004; e = 0.01",
        energy("m*z'^2/2 + I*theta'^2/2", "k*z^2/2 + d*theta^2/2 + e*z*theta/2"),
        ("m*z'' + k*z + e*theta/2 = 0", "I*theta'' + d*theta + e*z/2 = 0"),
    ),
    Printed(
        "Tufillaro, the swinging Atwood machine",
        "r = 1; theta = 0.5",
        "M = 3; m = 1; g = 9.81",
        energy("(M + m)*r'^2/2 + m*r^2*theta'^2/2", "M*g*r - m*g*r*cos(theta)"),
        ("(M/m + 1)*r'' - r*theta'^2 + g*(M/m - cos(theta)) = 0", "r*theta'' + 2*r'*theta' + g*sin(theta) = 0"),
    ),
    Printed(
        "Hénon and Heiles",
        "x = 0.1; y = 0.2",
        "k = 1",
        energy("(x'^2 + y'^2)/2", "k*(x^2 + y^2)/2 + x^2*y - y^3/3"),
        ("x'' = -k*x - 2*x*y", "y'' = -k*y - x^2 + y^2"),
    ),
    Printed(
        "Duffing's oscillator",
        "x = 0.5",
        "c = 0.2; al = -1; be = 1; F = 0.3; w = 1.2",
        energy("x'^2/2", "al*x^2/2 + be*x^4/4 - F*cos(w*t)*x", 'dissipation = "c*x\'^2/2"'),
        ("x'' + c*x' + al*x + be*x^3 = F*cos(w*t)",),
    ),
    Printed(
        "a charge in a magnetic field",
        "x = 0; y = 0",
        "m = 1; B = 2",
        body("x", "y", "0") + '[forces.lorentz]\nbody = "bob"\nforce = ["B*y\'", "-B*x\'", 0]',
        ("m*x'' = B*y'", "m*y'' = -B*x'"),
        "x = 1",
    ),
    Printed(
        "Tsiolkovsky's rocket",
        "z = 0",
        "n = 3; k = 0.2; u = 40; g = 9.81",
        '[bodies.rocket]\nmass = "n - k*t"\nposition = [0, 0, "z"]\nejection = [0, 0, "-u"]\n'
        '[forces.weight]\nbody = "rocket"\nforce = [0, 0, "-(n - k*t)*g"]',
        ("(n - k*t)*z'' = k*u - (n - k*t)*g",),
    ),
    Printed(
        "a pendulum whose string is let out",
        "theta = 0.4",
        "m = 1; l = 0.8; c = 0.1; g = 9.81",
        body("(l + c*t)*sin(theta)", "0", "-(l + c*t)*cos(theta)") + WEIGHT,
        ("(l + c*t)*theta'' + 2*c*theta' + g*sin(theta) = 0",),
    ),
    Printed(
        "Huygens, the pendulum on a cycloid",
        "theta = 2",
        "m = 1; R = 0.3; g = 9.81",
        body("R*(theta - sin(theta))", "0", "R*(1 + cos(theta))") + WEIGHT,
        ("2*R*(1 - cos(theta))*theta'' + R*sin(theta)*theta'^2 - g*sin(theta) = 0",),
    ),
]


def test_there_are_thirty():
    assert len(PUBLIC) >= 30


@pytest.mark.parametrize("one", PUBLIC, ids=lambda one: one.source)
def test_printed_equations(one):
    found = one.audit()
    assert found.agrees, str(found)


def turned(equation: str) -> str:
    """The equation with the opposite sign of its last term that is not zero."""
    left, right = equation.split(" = ")
    side = left if right == "0" else right
    depth, cut = 0, 0
    for i, letter in enumerate(side):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and side[i : i + 3] in (" + ", " - "):
            cut = i
    term = side[cut:]
    other = term.replace(" + ", " - ", 1) if term.startswith(" + ") else term.replace(" - ", " + ", 1)
    changed = side[:cut] + (other if cut else f"-({side})")
    return f"{changed} = 0" if right == "0" else f"{left} = {changed}"


@pytest.mark.parametrize("one", PUBLIC, ids=lambda one: one.source)
def test_a_wrong_sign(one):
    """In every printed equation with more than one term, in turn."""
    for j, equation in enumerate(one.equations):
        if equation in ("y'' = 0", "J*phi'' = 0", "(I + m*R^2)*theta'' = 0"):
            continue
        wrong = turned(equation)
        found = one.audit([*one.equations[:j], wrong, *one.equations[j + 1 :]])
        assert not found.agrees, f"{wrong}: {found}"


def test_the_rolling_disc_of_sympys_documentation():
    """Its Lagrangian has the speed of the centre from rolling put in before it is differentiated: the classic mistake.

    By Kane's method the same documentation is right.
    """
    q1, q2, q3 = q = me.dynamicsymbols("q1 q2 q3")
    m, g, r, t = sympy.symbols("m g r t")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    C = me.Point("C")
    C.set_vel(N, 0)
    centre = C.locatenew("centre", r * L.z)
    centre.v2pt_theory(C, N, R)
    disc = me.RigidBody("disc", centre, R, m, (me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), centre))
    disc.potential_energy = m * g * r * sympy.cos(q2)
    lagrange = me.LagrangesMethod(me.Lagrangian(N, disc), q)
    model = da.Model("Disc")
    model.parameters(m=1.2, g=9.81, r=0.4)
    model.coordinates("x y q1 q2 q3", q2=0.3)
    model.speeds(q1=0.5, q3=3)
    model.gravity([0, 0, "-g"])
    inertia = ["m*r^2/4", "m*r^2/2", "m*r^2/4"]
    turn = [("z", "q1"), ("x", "q2"), ("y", "q3")]
    centre_of_mass = ["x + r*sin(q1)*sin(q2)", "y - r*cos(q1)*sin(q2)", "r*cos(q2)"]
    model.body("disc", mass="m", position=centre_of_mass, rotation=turn, inertia=inertia)
    model.constraint("rolls_x", "x'", "r*q3'*cos(q1)")
    model.constraint("rolls_y", "y'", "r*q3'*sin(q1)")
    lagrange.form_lagranges_equations()
    found = model.audit(lagrange)
    assert not found.agrees
    assert "inserted into the kinetic energy before it is differentiated" in found.mistake
    u = me.dynamicsymbols("u1 u2 u3")
    R.set_ang_vel(N, u[0] * L.x + u[1] * L.y + u[2] * L.z)
    centre.v2pt_theory(C, N, R)
    turning = q1.diff(t) * N.z + q2.diff(t) * Y.x + q3.diff(t) * L.y
    kinematics = [(R.ang_vel_in(N) - turning).dot(axis) for axis in L]
    kane = me.KanesMethod(N, list(q), list(u), kinematics)
    kane.kanes_equations([disc], [(centre, -m * g * N.z)])
    assert model.audit(kane).agrees
