"""URDF and MJCF against Pinocchio and MuJoCo: by stored numbers, and by the programs themselves in slow tests."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.exchange.convert import converted
from dalembert.exchange.geoms import volume_and_inertia
from dalembert.expressions.limits import constant
from dalembert.formalisms import CHETAEV
from dalembert.model.read import read

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from engines import by_mujoco, by_pinocchio, ours, state  # noqa: E402

EXPECTED = json.loads((HERE / "expected.json").read_text())


def close(found, expected, tolerance=1e-10):
    for mine, theirs in zip(found, expected, strict=True):
        scale = 1 + np.abs(theirs).max()
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("file", EXPECTED)
def test_mass_matrix_bias_and_accelerations(file):
    known = EXPECTED[file]
    model, _ = converted(HERE / file)
    assert list(model.coordinates) == known["names"]
    found = ours(model, np.array(known["q"]), np.array(known["v"]))
    close(found, [np.array(known[key]) for key in "Mha"])


@pytest.mark.parametrize("method", CHETAEV)
def test_accelerations_by_every_method(method):
    known = EXPECTED["arm.urdf"]
    model = da.Model.of(converted(HERE / "arm.urdf")[0])
    settings = dict(zip(known["names"], known["q"], strict=True))
    settings |= {f"{name}'": v for name, v in zip(known["names"], known["v"], strict=True)}
    record = model.changed(settings).record
    assert record.stated is not None
    free = {name: replace(joint, limits=()) for name, joint in record.stated.joints.items()}
    free_model = da.Model.of(replace(record.stated, joints=free))
    found = free_model.solve(method).accelerations
    assert [found[name] for name in known["names"]] == pytest.approx(known["a"], rel=1e-10, abs=1e-9)


def test_a_converted_model_reads_back_and_says_what_was_left_out(tmp_path, capsys):
    assert run(["convert", str(HERE / "arm.urdf"), "-o", str(tmp_path / "arm.toml")]) == 0
    told = capsys.readouterr()
    assert "written" in told.out and "dry friction" in told.err and "stands still" in told.err
    assert read(tmp_path / "arm.toml") == converted(HERE / "arm.urdf")[0]
    text = (tmp_path / "arm.toml").read_text()
    assert "pi/2" in text and "limits" in text and "cylinder" in text and "tool" not in text
    assert run(["convert", str(HERE / "crane.xml")]) == 0
    assert "[joints.slew" in capsys.readouterr().out


def test_limits_damping_springs_and_armature_go_with_it():
    model, _ = converted(HERE / "crane.xml")
    stated = model.stated
    assert stated is not None
    luff = stated.joints["luff_joint"]
    assert [constant(end) for end in luff.limits[0]] == pytest.approx(np.radians([-40, 60]).tolist())
    assert float(luff.damping[0].value) == 0.05
    assert "slew" in str(stated.energy.potential) and "run'" in str(stated.energy.kinetic)


def test_loops_close_and_couplings_are_rows():
    model, _ = converted(HERE / "linkage.xml")
    found = da.Model.of(model).check()
    assert found.degrees_of_freedom == 1
    assert set(found.constraints) == {"pin.x", "pin.z", "gear"}
    state_ = da.Model.of(model).changed({"a'": 1.0}).solve()
    assert not state_.corrections or state_.speeds["w"] == pytest.approx(2 * state_.speeds["a"])
    motion = da.Model.of(model).changed({"a'": 1.0}).simulate(until=0.5, samples=3)
    assert motion.diagnostics.energy_drift < 1e-7
    assert motion["w"] == pytest.approx(2 * motion["a"] + 0.5 * motion["a"] ** 2, abs=1e-9)


@pytest.mark.parametrize("kind", ["sphere", "box", "ellipsoid", "cylinder", "capsule"])
def test_inertias_of_geoms(kind):
    """Against sums over a million random points."""
    size = np.array([0.3, 0.2, 0.5])
    inside = {
        "sphere": lambda p: (p**2).sum(axis=1) < 0.09,
        "box": lambda p: (np.abs(p) < size).all(axis=1),
        "ellipsoid": lambda p: ((p / size) ** 2).sum(axis=1) < 1,
        "cylinder": lambda p: ((p[:, :2] ** 2).sum(axis=1) < 0.09) & (np.abs(p[:, 2]) < 0.2),
        "capsule": lambda p: (p[:, :2] ** 2).sum(axis=1) + np.maximum(np.abs(p[:, 2]) - 0.2, 0) ** 2 < 0.09,
    }[kind]
    points = np.random.default_rng(1).uniform(-0.55, 0.55, (1_000_000, 3))
    kept = points[inside(points)]
    volume = len(kept) / len(points) * 1.1**3
    squares = (kept**2).mean(axis=0) * volume
    moments = squares.sum() - squares
    found, inertia = volume_and_inertia(kind, size)
    assert found == pytest.approx(volume, rel=0.01)
    assert inertia == pytest.approx(moments, rel=0.02)


URDF = '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/></inertial></link>{}</robot>'
JOINT = '<joint name="j" type="{}"><parent link="{}"/><child link="b"/>{}</joint>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot", "is not XML"),
        ("<html/>", "<robot> (URDF) or <mujoco> (MJCF) is expected"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="r"/>', "declares entities"),
        (URDF.format(""), "exactly one root is expected"),
        (URDF.format(JOINT.format("hinge", "a", "")), "has the type 'hinge'"),
        (URDF.format(JOINT.format("revolute", "c", "")), "there is no such link"),
        (URDF.format(JOINT.format("revolute", "a", '<axis xyz="0 0 0"/>')), "length zero"),
        (URDF.format(JOINT.format("revolute", "a", '<origin xyz="0 zero 0"/>')), "numbers are expected"),
        (URDF.format(JOINT.format("revolute", "a", '<origin xyz="0 nan 0"/>')), "finite numbers"),
        (URDF.format(JOINT.format("revolute", "a", '<origin xyz="0 0"/>')), "3 are expected"),
        ("<robot><link/></robot>", "has no name"),
        ('<mujoco><include file="b.xml"/></mujoco>', "includes another"),
        ('<mujoco><worldbody><body><geom type="mesh"/></body></worldbody></mujoco>', "give its body an <inertial>"),
        ('<mujoco><worldbody><body><joint type="screw"/></body></worldbody></mujoco>', "has the type 'screw'"),
        ("<mujoco><worldbody><body><frame/></body></worldbody></mujoco>", "contains a <frame>"),
        (
            '<mujoco><worldbody><body name="a"><joint/><geom size="1"/></body></worldbody>'
            '<equality><connect body1="a" body2="c" anchor="0 0 0"/></equality></mujoco>',
            "names the body 'c'",
        ),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, text, words, capsys):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        converted(path)
    assert words in str(caught.value)
    assert run(["convert", str(path), "-o", str(tmp_path / "r.toml")]) == 2
    assert not (tmp_path / "r.toml").exists()
    capsys.readouterr()


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ModelError, match="there is no file"):
        converted(tmp_path / "gone.urdf")
    assert run(["convert", str(HERE / "arm.urdf"), "-o", str(tmp_path / "arm.json")]) == 2


ROBOTS = (
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "z1_description/urdf/z1.urdf",
    "so_arm_description/urdf/so101.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "bolt_description/robots/bolt.urdf",
)


@pytest.mark.slow
@pytest.mark.parametrize("file", ROBOTS)
def test_public_robots_against_pinocchio(file):
    """Of PyPI's example-robot-data, by PyPI's pin."""
    import cmeel  # of both packages

    path = Path(cmeel.__file__).parents[1] / "cmeel.prefix/share/example-robot-data/robots" / file
    model, _ = converted(path)
    for seed in range(3):
        q, v = state(len(model.coordinates), seed)
        close(ours(model, q, v), by_pinocchio(path, q, v))


@pytest.mark.slow
@pytest.mark.parametrize("file", ["half_cheetah", "hopper", "walker2d_v5", "inverted_double_pendulum", "reacher"])
def test_public_robots_against_mujoco(file):
    """Of PyPI's gymnasium, by PyPI's mujoco."""
    from importlib.util import find_spec

    folder = Path(find_spec("gymnasium").origin).parent / "envs/mujoco/assets"
    path = folder / f"{file}.xml"
    model, _ = converted(path)
    for seed in range(3):
        q, v = state(len(model.coordinates), seed)
        close(ours(model, q, v), by_mujoco(path, list(model.coordinates), q, v))


def random_urdf(seed: int) -> str:
    chance = np.random.default_rng(seed)
    numbers = lambda count, size: " ".join(repr(float(x)) for x in chance.uniform(-size, size, count))  # noqa: E731
    parts = ['<robot name="tree"><link name="l0"/>']
    for i in range(1, int(chance.integers(3, 8))):
        A = chance.uniform(-0.2, 0.2, (3, 3))
        S = A @ A.T + 0.02 * np.eye(3)
        J = np.trace(S) * np.eye(3) - S  # of masses: no moment is larger than the sum of the others
        entries = {"ixx": J[0, 0], "iyy": J[1, 1], "izz": J[2, 2], "ixy": J[0, 1], "iyz": J[1, 2], "ixz": J[0, 2]}
        words = " ".join(f'{key}="{float(value)!r}"' for key, value in entries.items())
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="{numbers(3, 0.3)}" rpy="{numbers(3, 2)}"/>'
            f'<mass value="{chance.uniform(0.5, 3)!r}"/><inertia {words}/></inertial></link>'
        )
        kind = ["revolute", "continuous", "prismatic", "fixed"][int(chance.integers(0, 4))] if i > 1 else "revolute"
        parts.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{int(chance.integers(0, i))}"/><child link="l{i}"/>'
            f'<origin xyz="{numbers(3, 0.5)}" rpy="{numbers(3, 2)}"/><axis xyz="{numbers(3, 1)}"/>'
            '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    return "".join([*parts, "</robot>"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_random_trees_against_pinocchio_and_mujoco(seed, tmp_path):
    import mujoco

    path = tmp_path / "tree.urdf"
    path.write_text(random_urdf(seed))
    model, _ = converted(path)
    q, v = state(len(model.coordinates), seed)
    found = ours(model, q, v)
    close(found, by_pinocchio(path, q, v))
    compiled = mujoco.MjModel.from_xml_string(
        path.read_text().replace("<link", '<mujoco><compiler fusestatic="false"/></mujoco><link', 1)
    )
    close(found, by_mujoco(compiled, list(model.coordinates), q, v))


@pytest.mark.slow
def test_a_robot_that_floats_against_mujoco():
    """The ant: its place, its quaternion and eight hinges. ω̇ = 2 vec(ē ë), since vec(ē' ė) is zero."""
    from importlib.util import find_spec

    import mujoco

    path = Path(find_spec("gymnasium").origin).parent / "envs/mujoco/assets/ant.xml"
    record, _ = converted(path)
    assert record.stated is not None
    chance = np.random.default_rng(3)
    model = mujoco.MjModel.from_xml_path(str(path))
    bits = mujoco.mjtDisableBit
    model.opt.disableflags |= int(bits.mjDSBL_CONTACT) | int(bits.mjDSBL_LIMIT)
    data = mujoco.MjData(model)
    hinges = [name for name in record.coordinates if "." not in name and not name.endswith(("_x", "_y", "_z"))]
    settings = {}
    e = chance.normal(size=4)
    e /= np.linalg.norm(e)
    omega, speed = chance.uniform(-1, 1, 3), chance.uniform(-1, 1, 3)
    data.qpos[3:7], data.qvel[:3], data.qvel[3:6] = e, speed, omega
    floating = [name for name in record.coordinates if name.endswith(("_x", "_y", "_z"))]
    settings |= {f"{name}'": value for name, value in zip(floating, speed, strict=True)}
    half = 0.5 * np.array([-e[1:] @ omega, *(e[0] * omega + np.cross(e[1:], omega))])
    settings |= {f"torso.e{i}": e[i] for i in range(4)} | {f"torso.e{i}'": half[i] for i in range(4)}
    for name in hinges:
        joint = max(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, n) for n in (name, name.removesuffix("_q")))
        low, high = model.jnt_range[joint]
        q, v = chance.uniform(low, high), chance.uniform(-1, 1)
        data.qpos[model.jnt_qposadr[joint]], data.qvel[model.jnt_dofadr[joint]] = q, v
        settings |= {name: q, f"{name}'": v}
    mujoco.mj_forward(model, data)
    state_ = da.Model.of(record).changed(settings).solve()
    found = [state_.accelerations[name] for name in floating]
    assert found == pytest.approx(data.qacc[:3].tolist(), abs=1e-9 * (1 + np.abs(data.qacc).max()))
    rates = np.array([state_.accelerations[f"torso.e{i}"] for i in range(4)])
    alpha = 2 * (e[0] * rates[1:] - rates[0] * e[1:] - np.cross(e[1:], rates[1:]))
    assert alpha == pytest.approx(data.qacc[3:6], abs=1e-9 * (1 + np.abs(data.qacc).max()))


TRIANGLE = (
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
)


def pictured(folder: Path, mesh: str, collision: str = "") -> Path:
    inertial = '<inertial><origin xyz="0 0 0.5"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    visual = f'<origin xyz="0 0 1" rpy="0 0 1.5"/><geometry><mesh filename="{mesh}" scale="2 2 2"/></geometry>'
    visual = f"<visual>{visual}</visual>"
    visual += f"<collision><geometry>{collision}</geometry></collision>" if collision else ""
    text = f'<robot name="r"><link name="root"/><link name="arm">{inertial}{visual}</link>'
    text += '<joint name="j" type="continuous">'
    path = folder / "robots" / "r.urdf"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text + '<parent link="root"/><child link="arm"/></joint></robot>')
    return path


def test_meshes_come_along_and_lie_beside_the_model(tmp_path, capsys):
    (tmp_path / "looks").mkdir()
    (tmp_path / "looks" / "arm.stl").write_text(TRIANGLE)
    path, out = pictured(tmp_path, "package://any/looks/arm.stl"), tmp_path / "out"
    out.mkdir()
    assert run(["convert", str(path), "-o", str(out / "r.toml")]) == 0
    model = read(out / "r.toml")
    (shape,) = model.bodies["arm"].shapes
    corners = np.frombuffer(shape.mesh.corners, "<f4").reshape(-1, 3)
    assert corners.max() == 2.0 and (out / shape.mesh.file).is_file()
    assert [constant(entry) for entry in shape.at.children] == [0, 0, 0.5] and constant(shape.turn[0].angle) == 1.5
    assert model.bodies["arm"].shapes == converted(path)[0].bodies["arm"].shapes
    da.Model.of(model).simulate(until=0.1, samples=2).animate(tmp_path / "page.html")


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        ("package://any/gone.stl", "not found near the file"),
        ("../secret.stl", "not found near the file"),
        ("/etc/secret.stl", "not found near the file"),
        ("arm.dae", "neither STL nor OBJ"),
        ("bad.stl", "is not a mesh that can be read"),
    ],
)
def test_meshes_that_cannot_be_drawn_are_told(tmp_path, mesh, words):
    (tmp_path / "secret.stl").write_text(TRIANGLE)
    path = pictured(tmp_path, mesh)
    (path.parent / "arm.dae").write_text("<COLLADA/>")
    (path.parent / "bad.stl").write_bytes(b"\xff\xfe nothing of the kind")
    model, notes = converted(path)
    assert not model.bodies["arm"].shapes and any(words in note for note in notes)
    model, notes = converted(pictured(tmp_path, mesh, '<sphere radius="0.3"/>'))
    assert [shape.kind for shape in model.bodies["arm"].shapes] == ["sphere"] and not any(words in n for n in notes)


def test_geoms_are_drawn():
    model, _ = converted(HERE / "crane.xml")
    kinds = {name: [shape.kind for shape in body.shapes] for name, body in model.bodies.items()}
    assert any(kinds.values())
