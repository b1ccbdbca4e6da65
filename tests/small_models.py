"""Small models that several tests use."""

AFFINE = """
[coordinates]
x = 0
y = 0
[speeds]
x = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
[constraints]
c = "y' = x"
"""
DISK = """
[coordinates]
x = 0
y = 0
phi = {phi}
theta = 0
[speeds]
phi = {w}
theta = {s}
[energy]
kinetic = "(x'^2 + y'^2)/2 + theta'^2/4 + phi'^2/8"
[constraints]
rolls_x = "x' = cos(phi)*theta'"
rolls_y = "y' = sin(phi)*theta'"
"""
REDUNDANT = """
title = "A bead on two wires that are one"
gravity = [0, -9.81, 0]
[coordinates]
x = 0.6
y = -0.8
[bodies.bead]
mass = 1
position = ["x", "y", 0]
[constraints]
wire = "x^2 + y^2 - 1 = 0"
again = "2*x^2 + 2*y^2 - 2 = 0"
[simulation]
duration = 2
"""
SLEIGH = """
title = "雪橇"
[parameters]
"质量" = 2
a = 0.2
[coordinates]
x = 0
y = 0
"θ" = { initial = 0.3, speed = 0.4 }
[speeds]
x = 1
[bodies."雪橇"]
mass = "质量"
position = ["x + a*cos(θ)", "y + a*sin(θ)", 0]
rotation = [["z", "θ"]]
inertia = [0, 0, 0.5]
[constraints]
"刀刃" = "y'*cos(θ) - x'*sin(θ) = 0"
[simulation]
duration = 1
"""

# Zhang and Mei's ball between incline and wall: laws of the impact and of the friction on the incline.
BALL = """
[parameters]
a2 = 0.4
f = {f}
[coordinates]
x = {{ initial = {x}, speed = {speed} }}
y = {{ initial = 0, speed = "4.3/9" }}
ax = {{ initial = 0, speed = "-4.3/9" }}
ay = {{ initial = 0, speed = "{speed} + 1" }}
az = {{ initial = 0, speed = "0.7/9" }}
[energy]
kinetic = "(x'^2 + y'^2)/2 + a2/2*(ax'^2 + ay'^2 + az'^2)"
potential = "0.5*x + 0.3*y"
[contacts.wall]
gap = "x"
{law}
[frictions.plane]
{slip}
normal = 0.812403840463596
coefficient = "f"
"""
HELD = "slip = [\"x' - ay'\"]\nheld = [\"y' + ax'\"]"
ISOTROPIC = "slip = [\"x' - ay'\", \"y' + ax'\"]"
REVERSES = "reverses = [\"y' - az'\"]"
LAWS = {"L0": f'law = "zhang-mei"\n{REVERSES}', "L1": REVERSES, "L2": 'reverses = ["y\' - az\'", "ay\'"]'}


def ball(law: str, f: float, slip: str = HELD, x: float = 0.5, speed: float = 0.2) -> str:
    return BALL.format(f=f, law=law, slip=slip, x=x, speed=speed)
