// A small complete model to start from, with a line about each table.

export const TEMPLATE = `title = "My model"
gravity = [0, 0, -9.81]                     # acts on every body

[parameters]                                # each has a slider; min and max are its ends
m = { value = 1, unit = "kg" }
l = { value = 0.6, unit = "m", min = 0.1, max = 1 }

[coordinates]                               # initial value and speed
x = { initial = 0, speed = 0.5, unit = "m" }
theta = { initial = 0.8, unit = "rad", about = "from the downward vertical" }

[points]
hook = ["x", 0, 0]

[bodies.cart]
mass = "2*m"
position = "hook"
shapes = [
  { box = [0.4, 0.24, 0.1], at = [0, 0, 0.02] },
  { wheel = 0.07, at = [0.12, 0.14, -0.05], axis = "y" },
  { wheel = 0.07, at = [-0.12, 0.14, -0.05], axis = "y" },
  { wheel = 0.07, at = [0.12, -0.14, -0.05], axis = "y" },
  { wheel = 0.07, at = [-0.12, -0.14, -0.05], axis = "y" },
]

[bodies.bob]                                # swings below the cart
mass = "m"
position = ["x + l*sin(theta)", 0, "-l*cos(theta)"]
shape = { ball = 0.06 }

[drawings]                                  # what is drawn besides the bodies
rod = { tube = 0.01, from = "cart", to = "bob", colour = "steel" }

# [constraints]                             # "left = right"; a prime is a speed
# still = "x' = 0"

[simulation]
duration = 8
`;
