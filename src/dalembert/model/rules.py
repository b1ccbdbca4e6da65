"""What may stand where: one function for each group of tables, over the expressions and references in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from dalembert.errors import Fault
from dalembert.expressions.nodes import Answer, Expression, Number, Prime, Results, names, walk
from dalembert.expressions.parse import nearest, shown
from dalembert.expressions.text import text
from dalembert.model import shapes
from dalembert.model.kinds import NONLINEAR, SCALAR, UNKNOWN, Kind, Report, Scope, short
from dalembert.model.order import Key
from dalembert.model.places import Places
from dalembert.model.record import MOST_SAMPLES, Body, Contact, Equation, Force, Friction, Model, Plane, Surface
from dalembert.model.rows import row_names

REACTIONS = ("normal", "longitudinal", "lateral", "slip")  # of what rolls


def expressions(model: Model, order: list[Key], columns: Mapping[int, int], lost: Collection[str]) -> list[Fault]:
    """The faults of all expressions and of all references by name."""
    places = Places(model, columns, lost)
    places.values()
    places.named(order)
    for table in (frames_and_points, bodies, forces_and_energy, constraints, rollings, displacements, contacts):
        table(places)
    for table in (frictions, states_and_controllers, outputs, simulation, shapes.rules):
        table(places)
    return places.faults


def frames_and_points(places: Places) -> None:
    model = places.model
    turning = ("world", *model.frames, *model.bodies)
    for name, frame in model.frames.items():
        places.known(frame.origin, turning, "frame or body", f"frames.{name}", "from")
        places.turns(frame.turn, f"frames.{name}", "turn")
    for name, point in model.points.items():
        places.known(point.origin, (*model.points, *model.bodies), "point or body", f"points.{name}", "from")
        places.known(point.frame, turning, "frame or body", f"points.{name}", "in")
        places.vector(point.at, "points", name, speeds=False)


def bodies(places: Places) -> None:
    for name, body in places.model.bodies.items():
        _body(places, f"bodies.{name}", body)


def _body(places: Places, table: str, body: Body) -> None:
    places.scalar(body.mass, table, "mass", varying="states")
    places.vector(body.place, table, "position", speeds=False)
    places.turns(body.rotation, table, "rotation")
    places.turns([body.spin] if body.spin else [], table, "spin")
    places.vector(body.ejection, table, "ejection")
    for entry in body.inertia:
        places.scalar(entry, table, "inertia")
    if len(body.inertia) not in (0, 3, 6):
        places.fault(table, "inertia", f"{len(body.inertia)} entries were met, and 3 or 6 are expected")
    if body.frame is not None:
        places.known(body.frame, ("world", *places.model.frames, *places.model.bodies), "frame or body", table, "frame")
        if body.rotation:
            places.fault(table, "rotation", "it is given besides frame; one of the two is expected")


def forces_and_energy(places: Places) -> None:
    model = places.model
    places.vector(model.gravity, "", "gravity")
    places.scalar(model.energy.kinetic, "energy", "kinetic", varying="none")
    places.scalar(model.energy.potential, "energy", "potential", speeds=False, varying="any")
    places.scalar(model.energy.dissipation, "energy", "dissipation")
    for name, force in model.forces.items():
        _force(places, f"forces.{name}", force)
    if not (model.bodies or model.energy.kinetic or places.lost):
        places.fault(
            "",
            "",
            "the model has no body and no kinetic energy, so nothing in it has mass; give [bodies] or [energy] kinetic",
        )
    if not (model.coordinates or places.lost):
        places.fault("coordinates", "", "the model has no coordinates; at least one is expected")


def _force(places: Places, table: str, force: Force) -> None:
    for key in ("at", "force", "torque"):
        places.vector(getattr(force, key), table, key)
    if force.body is not None:
        places.known(force.body, places.model.bodies, "body", table, "body")
    elif force.at or force.force or force.torque:
        places.fault(table, "body", "it is missing; a force or torque acts on a body")
    if not (force.force or force.torque or force.generalized):
        places.fault(table, "", "nothing acts here; force, torque or generalized is expected")
    for name, entry in force.generalized.items():
        places.known(name, places.model.coordinates, "coordinate", f"{table}.generalized", name)
        places.scalar(entry, f"{table}.generalized", name)


def constraints(places: Places) -> None:
    for name, equation in places.model.constraints.items():
        _constraint(places, name, equation)


def _constraint(places: Places, name: str, equation: Equation) -> None:
    left, right = (places.kind(side, "constraints", name) for side in (equation.left, equation.right))
    zeros = [side == Number(0) for side in (equation.left, equation.right)]
    if left.what is None or right.what is None:
        return
    if "frame" in (left.what, right.what):
        places.fault("constraints", name, "a frame was met, and a scalar or vector equation is expected")
    elif left.what != right.what and not any(zeros):
        met = f"{short(equation.left)} is a {left.what} and {short(equation.right)} a {right.what}"
        places.fault("constraints", name, f"{met}; the two sides are to be alike", equation.right)
    elif any(kind.state or kind.data for kind in (left, right)):
        varying = "states" if left.degree or right.degree else "none"
        for kind, side in ((left, equation.left), (right, equation.right)):
            places.steady(kind, side, "constraints", name, varying)
    elif not (left.coordinates or right.coordinates or left.degree or right.degree):
        places.fault("constraints", name, "it holds no coordinate and no speed, so it constrains nothing")


def rollings(places: Places) -> None:
    model = places.model
    for name, rolling in model.rolling.items():
        table = f"rolling.{name}"
        places.known(rolling.body, model.bodies, "body", table, "body")
        if rolling.kind == "at":
            places.vector(rolling.size, table, "at", speeds=False)
        else:
            key = "convex" if rolling.further else rolling.kind
            places.scalar(rolling.size, table, key, speeds=False)
        body = model.bodies.get(rolling.body)
        if rolling.kind == "wheel" and body is not None and not (body.frame or body.spin or body.rotation):
            places.fault(table, "body", f"a wheel turns, and the body {rolling.body} has no rotation, frame or spin")
        places.vector(rolling.centre, table, "centre", speeds=False)
        if rolling.grip is not None:
            places.scalar(rolling.grip, table, "grip")
            if set(rolling.rows) != {"touch", "slip"}:
                places.fault(table, "grip", "it compares slip with touch, and rows leaves one of them out")
        if rolling.kind == "at" and rolling.centre is not None:
            places.fault(table, "centre", "a material point has none; leave it out")
        for size in rolling.further:
            places.scalar(size, table, "convex", speeds=False)
        if isinstance(rolling.on, Surface):
            _surface(places, table, rolling.on, rolling.rows)
        elif isinstance(rolling.on, Plane):
            places.vector(rolling.on.point, f"{table}.on", "point", speeds=False)
            places.vector(rolling.on.normal, f"{table}.on", "normal", speeds=False)
        elif rolling.on != "ground":
            places.known(rolling.on, ("ground", *model.bodies), "body", table, "on")
            if rolling.on == rolling.body:
                places.fault(table, "on", "a body cannot roll on itself")
        if not rolling.rows or len(set(rolling.rows)) != len(rolling.rows):
            places.fault(table, "rows", "touch, slip or both are expected, each once")


def _surface(places: Places, table: str, surface: Surface, rows: tuple[str, ...]) -> None:
    """Of numbers, parameters and the place x, y, z alone: a surface stands still."""
    model = places.model
    others = (model.coordinates, model.definitions, model.points, model.bodies)
    apart = {
        name: f"{name} may move, and a surface stands still: numbers, parameters and x, y, z are expected"
        for table_of in others
        for name in table_of
    }
    scope = Scope(
        dict.fromkeys((*model.parameters, "x", "y", "z"), SCALAR), {}, places.lost, (*model.parameters, *"xyz")
    )
    scope.apart = apart
    for side in (surface.left, surface.right):
        kind = places.kind(side, table, "on", scope)
        if kind.what not in ("scalar", None):
            places.fault(table, "on", f"{short(side)} is a {kind.what}, and a scalar is expected here", side)
        elif kind.time or any(isinstance(node, Prime) for node in walk(side)):
            places.fault(table, "on", "time or a prime was met, and a surface stands still", side)
    if not names([surface.left, surface.right]) & {"x", "y", "z"}:
        places.fault(table, "on", "it holds none of x, y and z, so it is no surface")
    if "touch" not in rows:
        places.fault(table, "rows", "on a surface the body touches; leave rows out, or give touch")


def displacements(places: Places) -> None:
    model, table = places.model, "virtual_displacements"
    displacements = model.virtual_displacements
    if displacements.rule == "rows" and not displacements.rows:
        places.fault(table, "rows", 'it is missing; rule = "rows" needs it')
    if displacements.rule != "rows" and displacements.rows:
        places.fault(table, "rows", f'rows belong to rule = "rows", and the rule here is "{displacements.rule}"')
    for i, row in enumerate(displacements.rows, 1):
        if not row:
            places.fault(f"{table}.rows[{i}]", "", "the row is empty; coordinates and coefficients are expected")
        for name, coefficient in row.items():
            places.known(name, model.coordinates, "coordinate", f"{table}.rows[{i}]", name)
            places.scalar(coefficient, f"{table}.rows[{i}]", name)
    for name in model.multipliers:
        places.known(name, row_names(model), "constraint", "multipliers", name)


def contacts(places: Places) -> None:
    for name, contact in places.model.contacts.items():
        _contact(places, f"contacts.{name}", contact)


def _contact(places: Places, table: str, contact: Contact) -> None:
    gap = places.scalar(contact.gap, table, "gap", speeds=False)
    if gap.what and not gap.coordinates:
        places.fault(table, "gap", "it holds no coordinate, so it can never close")
    places.scalar(contact.restitution, table, "restitution")
    _speeds(places, contact.reverses, table, "reverses")
    _speeds(places, contact.slip, table, "slip")
    if contact.slip and contact.friction is None:
        places.fault(table, "friction", "it is missing; slip is given, and friction says how the contact resists it")
    if contact.friction is not None and not contact.slip:
        places.fault(table, "slip", "it is missing; friction is given, and slip says what it resists")
    if isinstance(contact.friction, Expression):
        places.scalar(contact.friction, table, "friction")


def _speeds(places: Places, rows: Iterable[Expression], table: str, key: str) -> None:
    for row in rows:
        kind = places.scalar(row, table, key)
        if kind.what and kind.degree != 1:
            met = "is not linear in the speeds" if kind.degree else "holds no speed"
            places.fault(table, key, f"{short(row)} {met}, and a quantity linear in the speeds is expected", row)


def frictions(places: Places) -> None:
    for name, friction in places.model.frictions.items():
        _friction(places, f"frictions.{name}", friction)


def _friction(places: Places, table: str, friction: Friction) -> None:
    if not friction.slip:
        places.fault(table, "slip", "it is empty; at least one expression is expected")
    _speeds(places, friction.slip, table, "slip")
    _speeds(places, friction.held, table, "held")
    places.scalar(friction.coefficient, table, "coefficient")
    places.scalar(friction.static, table, "static")
    if isinstance(friction.normal, Expression):
        places.scalar(friction.normal, table, "normal")
    elif friction.normal in places.model.constraints and friction.normal in places.model.contacts:
        places.fault(table, "normal", f"{friction.normal} is a constraint and a contact; rename one of them")
    else:
        places.known(friction.normal, row_names(places.model), "constraint or contact", table, "normal")


def states_and_controllers(places: Places) -> None:
    model = places.model
    for name, state in model.states.items():
        places.scalar(state.rate, "states", name)
    for name, controller in model.sampled.items():
        for held, value in controller.values.items():
            places.scalar(value, f"sampled.{name}", held)
        for key in ("every", "offset"):
            stated = getattr(controller, key)
            known = set(model.parameters) - set(model.varying)
            if stated is not None and (Prime in map(type, walk(stated)) or not names([stated]) <= known):
                message = f"{short(stated)} was met, and a number or an expression of parameters is expected"
                places.fault(f"sampled.{name}", key, message, stated)


def outputs(places: Places) -> None:
    """In outputs and events accelerations and answers may stand, and outputs above."""
    model, before = places.model, places.scope
    scope = replace(before, values=dict(before.values), accelerations=True, _kinds=Results())
    scope.answers = lambda node, report: _answer(model, node, report)
    places.scope = scope
    for name, expression in model.outputs.items():
        if name in before.values or name in before.axes:
            places.fault("outputs", name, f"the name {name} is used for another quantity as well; names are unique")
        kind = places.kind(expression, "outputs", name)
        if kind.what not in ("scalar", "vector", None):
            places.fault("outputs", name, f"it is a {kind.what}, and a scalar or vector is expected")
        scope.values[name] = kind if kind.what else UNKNOWN
    events(places)
    places.scope = before


def _answer(model: Model, node: Answer, report: Report) -> Kind:
    """What multiplier.ROW, reaction.NAME.WHICH and load.JOINT.WHICH are; their names must be known."""
    solved = Kind(coordinates=True, degree=NONLINEAR, acceleration=True)
    vector = replace(solved, what="vector")
    joints = (model.stated or model).joints
    if node.kind == "multiplier":
        name, known, which = ".".join(node.path), row_names(model), None
    else:
        name, which = node.path[0], node.path[-1] if len(node.path) == 2 else None
        known = tuple(joints) if node.kind == "load" else (*model.rolling, *model.contacts)
    if name not in known:
        what = {"multiplier": "constraint", "reaction": "rolling or contact", "load": "joint"}[node.kind]
        report(node, f"there is no {what} {shown(name)}{nearest(name, known)}")
        return UNKNOWN
    words = {"multiplier": (None,), "load": ("force", "couple"), "reaction": REACTIONS}[node.kind]
    if node.kind == "reaction" and name in model.contacts:
        words = ("normal",)
    if which not in words:
        met = f"{text(node)} was met"
        report(node, f"{met}; {node.kind}.{name}.{', .'.join(str(word) for word in words)} is expected")
        return UNKNOWN
    return vector if which in ("force", "couple", "slip") else solved


def events(places: Places) -> None:
    for name, event in places.model.events.items():
        kind = places.scalar(event.when, f"events.{name}", "when")
        if kind.what and not (kind.coordinates or kind.degree or kind.time or kind.state or kind.data):
            places.fault(f"events.{name}", "when", "it holds no coordinate, speed or time, so it can never cross zero")


def simulation(places: Places) -> None:
    simulation, table = places.model.simulation, "simulation"
    if simulation.duration is not None and not 0 < simulation.duration < float("inf"):
        places.fault(table, "duration", f"{simulation.duration} was met, and a positive time is expected")
    if simulation.samples is not None and not 2 <= simulation.samples <= MOST_SAMPLES:
        met = f"{simulation.samples} was met"
        places.fault(table, "samples", f"{met}, and a number from 2 to {MOST_SAMPLES // 10**6} million is expected")
    if not 0 < simulation.tolerance <= 1e-2:
        places.fault(table, "tolerance", f"{simulation.tolerance} was met, and a number in (0, 0.01] is expected")
    if simulation.step is not None and not 0 < simulation.step < float("inf"):
        places.fault(table, "step", f"{simulation.step} was met, and a positive time is expected")
