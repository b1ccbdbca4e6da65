"""The rules of every table: one function for each group of tables checks its expressions and references."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from dalembert.errors import Fault
from dalembert.expressions.nodes import Expression, Number, Prime, ResultName, Results, names, walk
from dalembert.expressions.parse import nearest, shown
from dalembert.expressions.text import text
from dalembert.language import mark, tr
from dalembert.model import shapes
from dalembert.model.kinds import NONLINEAR, SCALAR, UNKNOWN, Kind, Report, Scope, short
from dalembert.model.order import Key
from dalembert.model.places import Places
from dalembert.model.record import MOST_SAMPLES, Body, Contact, Equation, Force, Friction, ModelRecord, Plane, Surface
from dalembert.model.rows import row_names

REACTIONS = ("normal", "longitudinal", "lateral", "slip")  # of rolling


def expressions(model: ModelRecord, order: list[Key], columns: Mapping[int, int], lost: Collection[str]) -> list[Fault]:
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
        places.known(frame.origin, turning, mark("frame or body"), f"frames.{name}", "from")
        places.turns(frame.turn, f"frames.{name}", "turn")
    for name, point in model.points.items():
        places.known(point.origin, (*model.points, *model.bodies), mark("point or body"), f"points.{name}", "from")
        places.known(point.frame, turning, mark("frame or body"), f"points.{name}", "in")
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
        places.fault(table, "inertia", tr("{count} entries were met, and 3 or 6 are expected", count=len(body.inertia)))
    if body.frame is not None:
        places.known(
            body.frame, ("world", *places.model.frames, *places.model.bodies), mark("frame or body"), table, "frame"
        )
        if body.rotation:
            places.fault(table, "rotation", tr("frame is given as well; one of the two is expected"))


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
            tr(
                "the model has no body and no kinetic energy, so nothing in it has mass; give [bodies] "
                "or [energy] kinetic"
            ),
        )
    if not (model.coordinates or places.lost):
        places.fault("coordinates", "", tr("the model has no coordinates; at least one is expected"))


def _force(places: Places, table: str, force: Force) -> None:
    for key in ("at", "force", "torque"):
        places.vector(getattr(force, key), table, key)
    if force.body is not None:
        places.known(force.body, places.model.bodies, "body", table, "body")
    elif force.at or force.force or force.torque:
        places.fault(table, "body", tr("it is missing; a force or torque acts on a body"))
    if not (force.force or force.torque or force.generalized):
        places.fault(table, "", tr("nothing acts here; force, torque or generalized is expected"))
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
        places.fault("constraints", name, tr("a frame was met, and a scalar or vector equation is expected"))
    elif left.what != right.what and not any(zeros):
        met = tr(
            "{left} is a {what} and {right} a {what2}",
            left=short(equation.left),
            what=left.told,
            right=short(equation.right),
            what2=right.told,
        )
        places.fault("constraints", name, tr("{met}; the two sides must be of one kind", met=met), equation.right)
    elif any(kind.state or kind.data for kind in (left, right)):
        varying = "states" if left.degree or right.degree else "none"
        for kind, side in ((left, equation.left), (right, equation.right)):
            if kind.rough or (kind.bent and varying == "none"):
                places.fault(
                    "constraints",
                    name,
                    tr(
                        "{side} holds data or a sampled value without the derivatives that the motion needs here: "
                        'data with between = "cubic" have them, and "linear" is enough where speeds stand',
                        side=short(side),
                    ),
                    side,
                )
            else:
                places.steady(replace(kind, data=False), side, "constraints", name, varying)
    elif not (left.coordinates or right.coordinates or left.degree or right.degree):
        places.fault(
            "constraints", name, tr("it contains no coordinate or speed, so it constrains nothing; leave it out")
        )


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
            places.fault(
                table,
                "body",
                tr("a wheel turns; the body {body} needs rotation, frame or spin", body=rolling.body),
            )
        places.vector(rolling.centre, table, "centre", speeds=False)
        if rolling.grip is not None:
            places.scalar(rolling.grip, table, "grip")
            if set(rolling.rows) != {"touch", "slip"}:
                places.fault(table, "grip", tr("grip compares slip with touch; rows must keep both"))
        if rolling.kind == "at" and rolling.centre is not None:
            places.fault(table, "centre", tr("a material point has no centre; leave it out"))
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
                places.fault(table, "on", tr("a body cannot roll on itself"))
        if not rolling.rows or len(set(rolling.rows)) != len(rolling.rows):
            places.fault(table, "rows", tr("touch, slip or both are expected, each once"))


def _surface(places: Places, table: str, surface: Surface, rows: tuple[str, ...]) -> None:
    """A surface is at rest: it may contain numbers, parameters and x, y, z only."""
    model = places.model
    others = (model.coordinates, model.definitions, model.points, model.bodies)
    apart = {
        name: mark("{name} may move, and a surface must be at rest; numbers, parameters and x, y, z are expected")
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
            places.fault(
                table,
                "on",
                tr("{side} is a {what}, and a scalar is expected here", side=short(side), what=kind.told),
                side,
            )
        elif kind.time or any(isinstance(node, Prime) for node in walk(side)):
            places.fault(table, "on", tr("time or a prime was met, and a surface must be at rest"), side)
    if not names([surface.left, surface.right]) & {"x", "y", "z"}:
        places.fault(table, "on", tr("it contains none of x, y and z; z = g(x, y) or f(x, y, z) = 0 is expected"))
    if "touch" not in rows:
        places.fault(table, "rows", tr("a body on a surface always touches it; leave rows out, or include touch"))


def displacements(places: Places) -> None:
    model, table = places.model, "virtual_displacements"
    displacements = model.virtual_displacements
    if displacements.rule == "rows" and not displacements.rows:
        places.fault(table, "rows", tr('it is missing; rule = "rows" needs it'))
    if displacements.rule != "rows" and displacements.rows:
        places.fault(
            table, "rows", tr('rows belong to rule = "rows", and the rule here is "{rule}"', rule=displacements.rule)
        )
    for i, row in enumerate(displacements.rows, 1):
        if not row:
            places.fault(f"{table}.rows[{i}]", "", tr("the row is empty; coordinates and coefficients are expected"))
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
        places.fault(table, "gap", tr("it contains no coordinate, so it can never close; leave the contact out"))
    places.scalar(contact.restitution, table, "restitution")
    _speeds(places, contact.reverses, table, "reverses")
    _speeds(places, contact.slip, table, "slip")
    if contact.slip and contact.friction is None:
        places.fault(
            table, "friction", tr("it is missing; slip is given, and friction says how the contact resists it")
        )
    if contact.friction is not None and not contact.slip:
        places.fault(table, "slip", tr("it is missing; friction is given, and slip says what it resists"))
    if isinstance(contact.friction, Expression):
        places.scalar(contact.friction, table, "friction")


def _speeds(places: Places, rows: Iterable[Expression], table: str, key: str) -> None:
    for row in rows:
        kind = places.scalar(row, table, key)
        if kind.what and kind.degree != 1:
            met = tr("is not linear in the speeds") if kind.degree else tr("holds no speed")
            places.fault(
                table,
                key,
                tr("{row} {met}, and a quantity linear in the speeds is expected", row=short(row), met=met),
                row,
            )


def frictions(places: Places) -> None:
    for name, friction in places.model.frictions.items():
        _friction(places, f"frictions.{name}", friction)


def _friction(places: Places, table: str, friction: Friction) -> None:
    if not friction.slip:
        places.fault(table, "slip", tr("it is empty; at least one expression is expected"))
    _speeds(places, friction.slip, table, "slip")
    _speeds(places, friction.held, table, "held")
    places.scalar(friction.coefficient, table, "coefficient")
    places.scalar(friction.static, table, "static")
    if isinstance(friction.normal, Expression):
        places.scalar(friction.normal, table, "normal")
    elif friction.normal in places.model.constraints and friction.normal in places.model.contacts:
        places.fault(
            table, "normal", tr("{normal} is a constraint and a contact; rename one of them", normal=friction.normal)
        )
    else:
        places.known(friction.normal, row_names(places.model), mark("constraint or contact"), table, "normal")


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
                message = tr(
                    "{stated} was met, and a number or an expression of parameters is expected", stated=short(stated)
                )
                places.fault(f"sampled.{name}", key, message, stated)


def outputs(places: Places) -> None:
    """Outputs and events may contain accelerations, answers, and outputs above them."""
    model, before = places.model, places.scope
    if not (model.outputs or model.events):
        return
    scope = replace(before, values=dict(before.values), accelerations=True, _kinds=Results())
    scope.answers = lambda node, report: _answer(model, node, report)
    places.scope = scope
    for name, expression in model.outputs.items():
        if name in before.values or name in before.axes:
            places.fault(
                "outputs", name, tr("the name {name} is used for another quantity as well; names are unique", name=name)
            )
        kind = places.kind(expression, "outputs", name)
        if kind.what not in ("scalar", "vector", None):
            places.fault("outputs", name, tr("it is a {what}, and a scalar or vector is expected", what=kind.told))
        scope.values[name] = kind if kind.what else UNKNOWN
    events(places)
    places.scope = before


def _answer(model: ModelRecord, node: ResultName, report: Report) -> Kind:
    """The kind of multiplier.ROW, reaction.NAME.WHICH or load.JOINT.WHICH. The names must be known."""
    solved = Kind(coordinates=True, degree=NONLINEAR, acceleration=True)
    vector = replace(solved, what="vector")
    joints = (model.stated or model).joints
    if node.kind == "multiplier":
        name, known, which = ".".join(node.path), row_names(model), None
    else:
        name, which = node.path[0], node.path[-1] if len(node.path) == 2 else None
        known = tuple(joints) if node.kind == "load" else (*model.rolling, *model.contacts)
    if name not in known:
        what = {"multiplier": "constraint", "reaction": tr("rolling or contact"), "load": "joint"}[node.kind]
        report(
            node, tr("there is no {what} {name}{name2}", what=tr(what), name=shown(name), name2=nearest(name, known))
        )
        return UNKNOWN
    words = {"multiplier": (None,), "load": ("force", "couple"), "reaction": REACTIONS}[node.kind]
    if node.kind == "reaction" and name in model.contacts:
        words = ("normal",)
    if which not in words:
        met = tr("{node} was met", node=text(node))
        report(
            node,
            tr(
                "{met}; {kind}.{name}.{words} is expected",
                met=met,
                kind=node.kind,
                name=name,
                words=", .".join(str(word) for word in words),
            ),
        )
        return UNKNOWN
    return vector if which in ("force", "couple", "slip") else solved


def events(places: Places) -> None:
    for name, event in places.model.events.items():
        kind = places.scalar(event.when, f"events.{name}", "when")
        if kind.what and not (kind.coordinates or kind.degree or kind.time or kind.state or kind.data):
            places.fault(
                f"events.{name}",
                "when",
                tr("without a coordinate, speed or time it never crosses zero; leave the event out"),
            )


def simulation(places: Places) -> None:
    simulation, table = places.model.simulation, "simulation"
    if simulation.duration is not None and not 0 < simulation.duration < float("inf"):
        places.fault(
            table, "duration", tr("{duration} was met, and a positive time is expected", duration=simulation.duration)
        )
    if simulation.samples is not None and not 2 <= simulation.samples <= MOST_SAMPLES:
        met = tr("{samples} was met", samples=simulation.samples)
        places.fault(
            table,
            "samples",
            tr(
                "{met}, and a number from 2 to {most_samples} million is expected",
                met=met,
                most_samples=MOST_SAMPLES // 10**6,
            ),
        )
    if not 0 < simulation.tolerance <= 1e-2:
        places.fault(
            table,
            "tolerance",
            tr("{tolerance} was met, and a number in (0, 0.01] is expected", tolerance=simulation.tolerance),
        )
    if simulation.step is not None and not 0 < simulation.step < float("inf"):
        places.fault(table, "step", tr("{step} was met, and a positive time is expected", step=simulation.step))
