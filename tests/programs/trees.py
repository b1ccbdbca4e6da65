"""Models that the gallery does not have: arms with wheels, a towed disk, a shaken table, a driven point."""

ARM = """
title = "A wheel on an arm on an arm, turned by constant angles, held by a row of its own, driven and damped"
gravity = [0.3, "-g", 1]
[parameters]
g = 9.81
k = 2
skew = 0.4
[coordinates]
s = { initial = 0.2, speed = 0.1 }
a = { initial = 0.3, speed = 0.5 }
b = { initial = -0.4, speed = 0.2 }
c = { initial = 0.5, speed = -0.3 }
w = { initial = 0, speed = 4 }
[frames]
upper = { turn = [["x", 0.2], ["y", "a + 2*s"], ["z", "skew"]] }
lower = { from = "upper", turn = [["x", "b"], ["x", 0.3], ["z", "c"], ["y", "skew"]] }
aside = { from = "upper", turn = [["z", "c - b"]] }
[points]
foot = ["s", 0, "0.5*s"]
elbow = { from = "foot", in = "upper", at = [0.1, 0.2, -0.7] }
hand = { from = "elbow", in = "lower", at = [0.3, 0, 0.1] }
beside = { from = "hand", in = "aside", at = [0, 0.2, 0.3] }
above = { from = "beside", at = [0, 0.1, 0] }
[bodies]
first = { mass = 1.5, position = "elbow", frame = "upper", inertia = [0.2, 0.3, 0.4, 0.01, 0.02, 0.03] }
second = { mass = 0.7, position = "hand", frame = "lower", inertia = [0.1, 0.2, 0.15] }
third = { mass = 0.4, position = "beside", frame = "aside", inertia = [0.01, 0.02, 0.015] }
fourth = { mass = 0.2, position = "above" }
[bodies.wheel]
mass = 0.6
position = "hand"
frame = "lower"
spin = ["y", "w"]
inertia = [0.05, 0.08, 0.05]
[energy]
potential = "0.5*k*a^2"
dissipation = "0.1*b'^2"
[forces.push]
body = "second"
force = ["t", 0, "-s"]
torque = [0.1, 0, 0.2]
"""
HELD = ARM + "[constraints]\ngeared = \"w' + 3*cos(a)*b' - s' = 0\"\n"
BEHIND = """
title = "A disk that is towed over a slope by a bar, of any size"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
R = 0.4
L = 1.1
[coordinates]
x = 0
y = 0
z = { initial = "R*cos(0.2)" }
yaw = { initial = 0.1, speed = 0.3 }
lean = { initial = 0.2, speed = 0.1 }
roll = { initial = 0, speed = 2 }
tow = { initial = 0.3, speed = 0.2 }
[frames]
leaning = { turn = [["z", "yaw"], ["x", "lean"]] }
bar = { from = "leaning", turn = [["z", "tow"]] }
[points]
hub = ["x", "y", "z"]
end = { from = "hub", in = "bar", at = ["-L", 0, 0] }
[bodies.disk]
mass = 2
position = "hub"
frame = "leaning"
spin = ["y", "roll"]
inertia = [0.1, 0.2, 0.1]
[bodies.load]
mass = 1
position = "end"
frame = "bar"
inertia = [0.02, 0.05, 0.06]
[rolling.disk]
body = "disk"
wheel = "R"
"""
SHAKEN = """
title = "A sleigh on a table that is shaken across its blade, held a second time by a turned row"
[parameters]
m = 1.3
J = 0.7
a = 0.4
w = 0.3
[coordinates]
x = 0.1
y = 0.2
theta = { initial = 0.4, speed = 2 }
s = { initial = 0, speed = 1 }
[bodies.sleigh]
mass = "m"
position = ["x + a*cos(theta)", "y + a*sin(theta)", 0]
rotation = [["z", "theta"]]
inertia = [0, 0, "J"]
[bodies.bead]
mass = "1 + m"
position = ["s", 0, 0]
[forces.pull]
body = "bead"
force = ["-3*s + w*cos(t)", 0, 0]
[constraints]
blade = "y'*cos(theta) - x'*sin(theta) = w*sin(2*t)"
again = "2*y'*cos(theta) - 2*x'*sin(theta) = 2*w*sin(2*t)"
drawn = "s' - t*x'*cos(theta) - t*y'*sin(theta) + 0.2*theta' = 0"
"""
LED = """
title = "A point led along a curve: no speed is free"
[parameters]
w = 0.7
[coordinates]
x = 1
y = 0.5
[bodies.point]
mass = 1
position = ["x", "y", 0]
[constraints]
across = "x' = w*cos(t*y)"
along = "y' + 2*x' = sin(x)"
"""

# turns about z, y and x, in the other sense than yaw, lean and pitch
TOP = """
gravity = [0, 0, -9.81]
[parameters]
h = 0.3
[coordinates]
a = { initial = 0.2, speed = 1.5 }
b = { initial = 0.4, speed = -0.7 }
c = { initial = -0.3, speed = 2.1 }
[frames]
body = { turn = [["z", "a"], ["y", "b"], ["x", "c"]] }
[points]
tip = [0, 0, 0]
middle = { from = "tip", in = "body", at = ["h", 0.1, 0.05] }
[bodies.top]
mass = 1.3
position = "middle"
frame = "body"
inertia = [1, 2, 2.5, 0.1, 0.2, -0.1]
"""
