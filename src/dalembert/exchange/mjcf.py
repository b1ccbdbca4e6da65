"""MJCF, MuJoCo's format: nested bodies, each with the joints that let it move; <equality> closes loops.

A body with several joints becomes a chain of bodies without mass. A coordinate is zero where MuJoCo's is `ref`.
Contacts between geoms, actuators, tendons and dry friction are left out, with a note.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as tree
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.exchange.geoms import EMPTY, MASSLESS, Solid, together, volume_and_inertia
from dalembert.exchange.pictures import Meshes, colour_of, part, seen_from
from dalembert.exchange.robot import Robot, RobotJoint, RobotLink
from dalembert.exchange.xml import numbers, one, root_of, rotation
from dalembert.expressions.parse import shown
from dalembert.language import Sentences, tr
from dalembert.model.record import Shape

WORLD = "world"
HIDDEN = 3  # the first group of geoms that MuJoCo's viewer does not show
TYPES = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "free"}
LEFT_OUT: Sentences = {
    "actuator": "actuators", "tendon": "tendons", "sensor": "sensors", "contact": "pairs of contact",
}  # fmt: skip


def robot_of(path: Path) -> Robot:
    root = root_of(path)
    if root.tag != "mujoco":
        raise ModelError(
            "the file {path} has <{tag}> outermost, and <mujoco> is expected of MJCF",
            path=shown(str(path)),
            tag=root.tag,
        )
    if next(root.iter("include"), None) is not None:
        raise ModelError(
            "the file {path} includes another; save it as one file (MuJoCo: mj_saveLastXML)", path=shown(str(path))
        )
    return _RobotReader(root, path).robot()


class _RobotReader:
    """Reads the bodies of one file."""

    def __init__(self, root: tree.Element, path: Path) -> None:
        self.root, self.title = root, root.get("model", path.stem)
        compiler = {key: value for element in root.findall("compiler") for key, value in element.attrib.items()}
        self.degrees = compiler.get("angle", "degree") == "degree"
        self.sequence = compiler.get("eulerseq", "xyz")
        self.autolimits = compiler.get("autolimits", "true") == "true"
        self.from_geoms = compiler.get("inertiafromgeom", "auto")
        self.total = float(compiler.get("settotalmass", -1))
        self.defaults: dict[str, dict[str, dict[str, str]]] = {}
        for element in root.findall("default"):
            self._default(element, {})
        self.solids: dict[str, Solid] = {}
        self.shapes: dict[str, list[Shape]] = {}
        self.meshes, self.meshes_in = Meshes(path), compiler.get("meshdir", compiler.get("assetdir", "")).rstrip("/")
        self.joints: list[RobotJoint] = []
        self.poses: dict[str, tuple[np.ndarray, np.ndarray]] = {WORLD: (np.zeros(3), np.eye(3))}
        self.notes: list[str] = [
            tr("{what} are left out", what=tr(what)) for tag, what in LEFT_OUT.items() if root.find(tag) is not None
        ]

    def robot(self) -> Robot:
        self.solids[WORLD] = EMPTY
        for world in self.root.findall("worldbody"):
            for body in world.findall("body"):
                self._body(body, WORLD, "main")
        relations = self._equalities()
        if self.total > 0:
            factor = self.total / sum(solid.mass for solid in self.solids.values())
            self.solids = {name: solid.scaled(factor) for name, solid in self.solids.items()}
        links = {
            n: RobotLink(n, solid.mass, solid.centre, solid.inertia, seen_from(self.shapes.get(n, []), solid.centre))
            for n, solid in self.solids.items()
        }
        self.notes += self.meshes.notes
        option = self.root.find("option")
        x, y, z = (float(g) for g in numbers(option, "gravity", "0 0 -9.81", 3))
        return Robot(
            self.title, WORLD, links, tuple(self.joints), (x, y, z), tuple(relations), tuple(dict.fromkeys(self.notes))
        )

    def _default(self, element: tree.Element, above: dict[str, dict[str, str]]) -> None:
        own = {tag: dict(values) for tag, values in above.items()}
        for child in element:
            if child.tag != "default":
                own[child.tag] = own.get(child.tag, {}) | dict(child.attrib)
        self.defaults[element.get("class", "main")] = own
        for child in element.findall("default"):
            self._default(child, own)

    def _with_defaults(self, element: tree.Element, carried: str) -> tree.Element:
        stated = self.defaults.get(element.get("class", carried), {}).get(element.tag, {})
        found = tree.Element(element.tag, stated | element.attrib)
        if "pos" in element.attrib and "fromto" in stated:
            found.attrib.pop("fromto", None)
        return found

    def _rotation(self, element: tree.Element) -> np.ndarray:
        if "quat" in element.attrib:
            return of_quaternion(numbers(element, "quat", "1 0 0 0", 4))
        if "axisangle" in element.attrib:
            *axis, angle = numbers(element, "axisangle", "0 0 1 0", 4)
            half = self._angle(angle) / 2
            n = np.array(axis) / np.linalg.norm(axis)
            return of_quaternion(np.array([math.cos(half), *(math.sin(half) * n)]))
        if "euler" in element.attrib:
            found = np.eye(3)
            for letter, angle in zip(self.sequence, numbers(element, "euler", "0 0 0", 3), strict=True):
                turn = rotation(letter.lower(), self._angle(angle))
                found = found @ turn if letter.islower() else turn @ found
            return found
        if "xyaxes" in element.attrib:
            x, y = numbers(element, "xyaxes", "1 0 0 0 1 0", 6).reshape(2, 3)
            x = x / np.linalg.norm(x)
            y = y - (x @ y) * x
            y = y / np.linalg.norm(y)
            return np.column_stack([x, y, np.cross(x, y)])
        return _towards(numbers(element, "zaxis", "0 0 1", 3)) if "zaxis" in element.attrib else np.eye(3)

    def _angle(self, angle: float) -> float:
        return math.radians(angle) if self.degrees else float(angle)

    def _body(self, element: tree.Element, parent: str, carried: str) -> None:
        name = self._unused(element.get("name", "body"))
        carried = element.get("childclass", carried)
        place, turn = numbers(element, "pos", "0 0 0", 3), self._rotation(element)
        origin, axes = self.poses[parent]
        self.poses[name] = (origin + axes @ place, axes @ turn)
        self.solids[name] = self._solid(element, carried)
        self.shapes[name] = self._shapes(element, carried)
        if next(iter(element.findall("frame")), None) is not None:
            raise ModelError(
                "the body {name} contains a <frame>, which is not read; write out its content", name=shown(name)
            )
        stated = [self._with_defaults(child, carried) for child in element if child.tag in ("joint", "freejoint")]
        for i, joint in enumerate(stated):
            last = i == len(stated) - 1
            child = name if last else self._unused(f"{name}_{i + 1}")
            self.solids.setdefault(child, EMPTY)
            self._joint(joint, parent, child, place, turn, self.poses[name][1])
            parent, place, turn = child, np.zeros(3), np.eye(3)
        if not stated:
            self.joints.append(RobotJoint(f"{name}_weld", "weld", parent, name, place, turns_of(turn)))
        for body in element.findall("body"):
            self._body(body, name, carried)

    def _unused(self, name: str) -> str:
        count, found = 1, name
        while found in self.solids:
            count += 1
            found = f"{name}_{count}"
        return found

    def _joint(
        self, element: tree.Element, parent: str, child: str, place: np.ndarray, turn: np.ndarray, axes: np.ndarray
    ) -> None:
        kind = "free" if element.tag == "freejoint" else element.get("type", "hinge")
        name = element.get("name", f"{child}_joint")
        if kind not in TYPES:
            raise ModelError(
                "the joint {name} has the type {kind}; known are {types}",
                name=shown(name),
                kind=shown(kind),
                types=", ".join(TYPES),
            )
        if any(one(element, key, 0.0) for key in ("frictionloss",)):
            self.notes.append(tr("dry friction in joints is left out"))
        damping, stiffness = (float(numbers(element, key, "0")[0]) for key in ("damping", "stiffness"))
        if kind in ("free", "ball"):
            if damping or stiffness or one(element, "armature", 0.0):
                self.notes.append(tr("damping, stiffness and armature of the joint {name} are left out", name=name))
            anchor = numbers(element, "pos", "0 0 0", 3) if kind == "ball" else np.zeros(3)
            start = quaternion_of(axes)
            self.joints.append(
                RobotJoint(name, TYPES[kind], parent, child, place + turn @ anchor, anchor=anchor, quaternion=start)
            )
            return
        turning = kind == "hinge"
        reference, rest = (one(element, key, 0.0) for key in ("ref", "springref"))
        limits = numbers(element, "range", "0 0", 2)
        if turning:
            reference, rest, limits = self._angle(reference), self._angle(rest), np.array([*map(self._angle, limits)])
        limited = element.get("limited", "auto")
        held = limited == "true" or (limited == "auto" and self.autolimits and "range" in element.attrib)
        anchor = numbers(element, "pos", "0 0 0", 3)
        self.joints.append(
            RobotJoint(
                name, TYPES[kind], parent, child, place + turn @ anchor, turns_of(turn),
                numbers(element, "axis", "0 0 1", 3), anchor, damping, stiffness, rest - reference,
                one(element, "armature", 0.0), tuple(limits - reference) if held else None,  # type: ignore[arg-type]
            )
        )  # fmt: skip

    def _solid(self, element: tree.Element, carried: str) -> Solid:
        inertial = element.find("inertial")
        if inertial is not None and self.from_geoms != "true":
            R = self._rotation(inertial)
            if "fullinertia" in inertial.attrib:
                xx, yy, zz, xy, xz, yz = numbers(inertial, "fullinertia", "", 6)
                J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            else:
                J = np.diag(numbers(inertial, "diaginertia", "0 0 0", 3))
            return Solid(one(inertial, "mass", 0.0), numbers(inertial, "pos", "0 0 0", 3), R @ J @ R.T)
        if self.from_geoms == "false":
            return EMPTY
        return together([self._geom(self._with_defaults(g, carried)) for g in element.findall("geom")])

    def _geom(self, element: tree.Element) -> Solid:
        kind = element.get("type", "sphere")
        stated = element.get("mass")
        if kind in MASSLESS or (stated is not None and float(stated) == 0):
            return EMPTY
        if kind == "mesh":
            raise ModelError("a geom is a mesh, whose mass is not computed; give its body an <inertial>")
        size, centre, R = self._placed(element, kind)
        volume, moments = volume_and_inertia(kind, size)
        density = one(element, "density", 1000.0) if stated is None else float(stated) / volume
        return Solid(volume * density, centre, R @ np.diag(moments * density) @ R.T)

    def _placed(self, element: tree.Element, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sizes of a geom, its centre, and its axes."""
        size, centre, R = (
            numbers(element, "size", "0 0 0"),
            numbers(element, "pos", "0 0 0", 3),
            self._rotation(element),
        )
        if "fromto" in element.attrib:
            ends = numbers(element, "fromto", "", 6).reshape(2, 3)
            centre, R = ends.mean(axis=0), _towards(ends[1] - ends[0])
            half = float(np.linalg.norm(ends[1] - ends[0])) / 2
            size = np.array([size[0], size[0], half] if kind in ("box", "ellipsoid") else [size[0], half])
        return size, centre, R

    def _shapes(self, body: tree.Element, carried: str) -> list[Shape]:
        """The shapes drawn for a body: its geoms, except those of the groups that MuJoCo hides."""
        found = []
        for stated in body.findall("geom"):
            element = self._with_defaults(stated, carried)
            kind = element.get("type", "mesh" if "mesh" in element.attrib else "sphere")
            if kind in MASSLESS or one(element, "group", 0) >= HIDDEN:
                continue
            size, centre, R = self._placed(element, kind)
            colour = colour_of(numbers(element, "rgba", "0.5 0.5 0.5 1", 4)) if "rgba" in element.attrib else ""
            if kind == "mesh":
                shape = self._mesh(element.get("mesh", ""), centre, R, colour)
                found += [] if shape is None else [shape]
                continue
            sizes = {"box": 2 * size[:3], "ellipsoid": size[:3], "sphere": size[:1]}
            found.append(part(kind, sizes.get(kind, np.array([size[0], 2 * size[-1]])).tolist(), centre, R, colour))
        return found

    def _mesh(self, name: str, place: np.ndarray, R: np.ndarray, colour: str) -> Shape | None:
        for asset in self.root.findall("asset/mesh"):
            file = asset.get("file", "")
            if asset.get("name", Path(file).stem) == name:
                where = f"{self.meshes_in}/{file}" if self.meshes_in else file
                return self.meshes.shape(where, numbers(asset, "scale", "1 1 1", 3), place, R, colour)
        return None

    def _equalities(self) -> list[tuple[str, str]]:
        relations: list[tuple[str, str]] = []
        elements = [element for group in self.root.findall("equality") for element in group]
        for i, stated in enumerate(elements, 1):
            element = self._with_defaults(stated, "main")
            name = element.get("name", f"{element.tag}_{i}")
            if element.get("active", "true") == "false":
                continue
            if element.tag in ("connect", "weld") and "body1" in element.attrib:
                self._closing(element, name)
            elif element.tag == "joint" and "joint2" in element.attrib:
                powers = enumerate(numbers(element, "polycoef", "0 1 0 0 0", 5).tolist())
                terms = [f"({c!r})*{{{element.get('joint2')}}}^{k}" if k else f"({c!r})" for k, c in powers if c]
                relations.append((name, f"{{{element.get('joint1')}}} = {' + '.join(terms) or '0'}"))
            else:
                self.notes.append(tr("the equality {name} of kind {tag} is left out", name=name, tag=element.tag))
        return relations

    def _closing(self, element: tree.Element, name: str) -> None:
        first, second = element.get("body1", ""), element.get("body2", WORLD)
        for body in (first, second):
            if body not in self.poses:
                raise ModelError(
                    "the equality {name} names the body {body}, which does not exist",
                    name=shown(name),
                    body=shown(body),
                )
        (p, P), (q, Q) = self.poses[first], self.poses[second]
        if element.tag == "connect":
            anchor = numbers(element, "anchor", "0 0 0", 3)
            inside = Q.T @ (p + P @ anchor - q)
            joint = RobotJoint(name, "ball", first, second, anchor, anchor=inside, closes=True)
        else:
            joint = RobotJoint(name, "weld", first, second, P.T @ (q - p), turns_of(P.T @ Q), closes=True)
        if second == WORLD:  # a joint's child is a body
            place, inside = joint.anchor, joint.place
            turns = turns_of(Q.T @ P) if element.tag == "weld" else ()
            if element.tag == "weld":
                place, inside = Q.T @ (p - q), np.zeros(3)
            joint = RobotJoint(name, joint.type, WORLD, first, place, turns, anchor=inside, closes=True)
        self.joints.append(joint)


def of_quaternion(e: np.ndarray) -> np.ndarray:
    e0, e1, e2, e3 = e / np.linalg.norm(e)
    return np.array(
        [
            [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
        ]
    )


def quaternion_of(R: np.ndarray) -> tuple[float, ...]:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return float(w), float(x), float(y), float(z)


def turns_of(R: np.ndarray) -> tuple[tuple[str, float], ...]:
    """R = Rz(α) Ry(β) Rx(γ)."""
    across = math.hypot(R[0, 0], R[1, 0])
    beta = math.atan2(-R[2, 0], across)
    if across < 1e-12:
        return ("z", math.atan2(-R[0, 1], R[1, 1])), ("y", beta)
    return ("z", math.atan2(R[1, 0], R[0, 0])), ("y", beta), ("x", math.atan2(R[2, 1], R[2, 2]))


def _towards(direction: np.ndarray) -> np.ndarray:
    """Axes with z along a direction, by the smallest turn."""
    z = direction / np.linalg.norm(direction)
    axis = np.cross([0.0, 0.0, 1.0], z)
    sine, cosine = float(np.linalg.norm(axis)), float(z[2])
    if sine < 1e-15:
        return np.eye(3) if cosine > 0 else np.diag([1.0, -1.0, -1.0])
    half = math.atan2(sine, cosine) / 2
    return of_quaternion(np.array([math.cos(half), *(math.sin(half) * axis / sine)]))
