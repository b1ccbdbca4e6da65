"""URDF: links with inertias; revolute, continuous, prismatic, fixed, floating and planar joints; mimic, limits,
damping.
Roll, pitch and yaw are about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll). The root link is fixed; its mass is ignored.
Roll, pitch and yaw are about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll). The root link is fixed, and has no mass.
"""

from __future__ import annotations

import xml.etree.ElementTree as tree
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.exchange.pictures import Meshes, colour_of, part, seen_from
from dalembert.exchange.robot import Robot, RobotJoint, RobotLink
from dalembert.exchange.xml import numbers, one, root_of, turned
from dalembert.expressions.parse import shown
from dalembert.language import tr
from dalembert.model.record import Shape

TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "weld",
    "floating": "free",
    "planar": "planar",
}
Turns = tuple[tuple[str, float], ...]


def robot_of(path: Path) -> Robot:
    root = root_of(path)
    if root.tag != "robot":
        raise ModelError(
            "the file {path} has <{tag}> outermost, and <robot> is expected of a URDF",
            path=shown(str(path)),
            tag=root.tag,
        )
    meshes = Meshes(path)
    links = {name: _link(element, name, meshes) for element in root.findall("link") if (name := _named(element))}
    joints = tuple(_joint(element, links) for element in root.findall("joint"))
    children = {joint.child for joint in joints}
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        met = ", ".join(roots[:5]) or tr("none")
        raise ModelError("the links that no joint carries are {met}; exactly one root is expected", met=met)
    notes = [tr("the root link {roots} stands still", roots=roots[0])] if links[roots[0]].mass else []
    if any(
        element.find("dynamics") is not None and one(element.find("dynamics"), "friction", 0)
        for element in root.findall("joint")
    ):
        notes.append(tr("dry friction in joints is left out"))
    if root.find("transmission") is not None:
        notes.append(tr("transmissions are left out"))
    return Robot(root.get("name", path.stem), roots[0], links, joints, notes=(*notes, *meshes.notes))


def _named(element: tree.Element) -> str:
    name = element.get("name")
    if not name:
        raise ModelError("a <{tag}> has no name", tag=element.tag)
    return name


def _origin(element: tree.Element | None) -> tuple[np.ndarray, Turns]:
    place = numbers(element, "xyz", "0 0 0", 3)
    roll, pitch, yaw = numbers(element, "rpy", "0 0 0", 3)
    return place, (("z", yaw), ("y", pitch), ("x", roll))


def _link(element: tree.Element, name: str, meshes: Meshes) -> RobotLink:
    inertial = element.find("inertial")
    shapes = _shapes(element, meshes)
    if inertial is None:
        return RobotLink(name, shapes=seen_from(shapes, np.zeros(3)))
    centre, turns = _origin(inertial.find("origin"))
    J = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (one(J, key, 0.0) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    R = turned(turns)
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    mass = one(inertial.find("mass"), "value", 0.0)
    return RobotLink(name, mass, centre, inertia, seen_from(shapes, centre))


def _shapes(element: tree.Element, meshes: Meshes) -> list[Shape]:
    """The visual shapes of a link; if none can be drawn, its collision shapes."""
    told = len(meshes.notes)
    for tag in ("visual", "collision"):
        found = [shape for visual in element.findall(tag) if (shape := _shape(visual, meshes)) is not None]
        if found:
            if tag == "collision":
                del meshes.notes[told:]
            return found
    return []


def _shape(visual: tree.Element, meshes: Meshes) -> Shape | None:
    place, turns = _origin(visual.find("origin"))
    geometry, R = visual.find("geometry"), turned(turns)
    rgba = visual.find("material/color")
    colour = "" if rgba is None else colour_of(numbers(rgba, "rgba", "0.5 0.5 0.5 1", 4))
    if geometry is None:
        return None
    if (box := geometry.find("box")) is not None:
        return part("box", numbers(box, "size", "0.1 0.1 0.1", 3).tolist(), place, R, colour)
    if (cylinder := geometry.find("cylinder")) is not None:
        return part("cylinder", [one(cylinder, "radius", 0.1), one(cylinder, "length", 0.1)], place, R, colour)
    if (sphere := geometry.find("sphere")) is not None:
        return part("sphere", [one(sphere, "radius", 0.1)], place, R, colour)
    if (mesh := geometry.find("mesh")) is not None:
        return meshes.shape(mesh.get("filename", ""), numbers(mesh, "scale", "1 1 1", 3), place, R, colour)
    return None


def _joint(element: tree.Element, links: dict[str, RobotLink]) -> RobotJoint:
    name, kind = _named(element), element.get("type", "")
    if kind not in TYPES:
        raise ModelError(
            "the joint {name} has the type {kind}; known are {types}",
            name=shown(name),
            kind=shown(kind),
            types=", ".join(TYPES),
        )
    ends = []
    for tag in ("parent", "child"):
        end = element.find(tag)
        link = "" if end is None else end.get("link", "")
        if link not in links:
            raise ModelError(
                "the joint {name} has the {tag} {link}, and there is no such link",
                name=shown(name),
                tag=tag,
                link=shown(link),
            )
        ends.append(link)
    place, turns = _origin(element.find("origin"))
    axis = None
    if kind not in ("fixed", "floating"):
        axis = numbers(element.find("axis"), "xyz", "1 0 0", 3)
        if not np.any(axis):
            raise ModelError("the axis of the joint {name} has length zero", name=shown(name))
    limit, dynamics, mimic = (element.find(tag) for tag in ("limit", "dynamics", "mimic"))
    limits = None
    if kind in ("revolute", "prismatic") and limit is not None and ("lower" in limit.attrib or "upper" in limit.attrib):
        limits = (one(limit, "lower", 0.0), one(limit, "upper", 0.0))
        if limits[0] >= limits[1]:
            limits = None
    follows = None
    if mimic is not None:
        follows = (mimic.get("joint", ""), one(mimic, "multiplier", 1.0), one(mimic, "offset", 0.0))
    return RobotJoint(
        name, TYPES[kind], ends[0], ends[1], place, turns, axis,
        damping=one(dynamics, "damping", 0.0), limits=limits, mimic=follows,
    )  # fmt: skip
