"""FMUs: FMPy validates them and simulates them as the engine does, through impacts and with inputs."""

from __future__ import annotations

import struct
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import fmpy
import numpy as np
import pytest
import symengine
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

import dalembert as da
from dalembert.engine.build import compilers
from dalembert.errors import ModelError
from dalembert.exchange.export import export, fmu
from dalembert.exchange.export.fmu import flat, packed, shells, signature, source, token
from dalembert.exchange.export.fmu.description import model_description
from dalembert.exchange.export.taken import taken
from dalembert.programs.expressions import program

pytestmark = pytest.mark.skipif(not compilers() or sys.platform != "linux", reason="no compiler for a binary here")


def pushed(push: float = 3) -> da.Model:
    """A ball that is pushed sideways and bounces; it stops at a wall."""
    model = da.Model("Pushed & <bouncing>")
    model.parameter("m", 2, unit="kg", about="mass of the ball")
    model.parameter("rebound", 0.8)
    model.coordinate("x", 0.1, speed=0.2, unit="m")
    model.coordinate("z", 100, unit="cm")
    model.input("push", push)
    model.define("square", "x^2")
    model.energy(kinetic="m*(x'^2 + z'^2)/2", potential="9.81*m*z")
    model.force("side", generalized={"x": "push - 0.1*x'^3"})
    model.contact("floor", gap="z", restitution="rebound")
    model.output("pull", "m*x''")
    model.event("wall", "x - 4", stop=True)
    model.state("lag", rate="(x - lag)/0.3", initial=0.05)
    return model


DATA = {"times": [0, 0.7, 1.9], "values": [0.1, -0.1, 0.3]}


def driven(tow=DATA) -> da.Model:
    """A ball that bounces while dry friction brakes it, data tow it, and a sampled controller pushes it."""
    model = da.Model("Driven")
    model.coordinate("z", 1)
    model.coordinate("x", 0.5)
    model.input("push", 0)
    model.input("gust", "0.02*sin(3*t)")
    model.input("tow", **tow)
    model.input("wind", 0.01, least=-1, greatest=2)
    model.energy(kinetic="(x'^2 + z'^2)/2", potential="9.81*z + x^2/2 + max(x - 0.2, 0)^2")
    model.force("side", generalized={"x": "push + wind + gust + tow - 0.05*sign(x')"})
    model.contact("floor", gap="z", restitution=0.7)
    model.sample("control", every=0.13, push="0 - 2*x")
    return model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for FMUs. They are compiled without optimization, which changes no number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fmu, "OPTIMIZED", "-O0")
        yield tmp_path_factory.mktemp("fmus")


@pytest.fixture(scope="module")
def ball(folder) -> Path:
    return da.gallery("bouncing-ball").export("fmu", folder / "ball.fmu", what="fmi3")[0]


@pytest.fixture(scope="module")
def controlled(folder) -> Path:
    return driven().export("fmu", folder / "controlled.fmu", what="fmi3")[0]


@pytest.fixture(scope="module", params=["shell", "sources"])
def machine(folder, request) -> Path:
    """By both ways in which a binary is made."""
    (folder / request.param).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "sources":
            patch.setattr(fmu, "shell", lambda version, platform: None)
        return pushed().export("fmu", folder / request.param / "machine.fmu")[0]


TIGHT = {"CoSimulation": 1e-11, "ModelExchange": 1e-14}  # CVode's formulas are of low order: its errors add up to more


def simulated(path, kind, motion, **options):
    times = motion.times
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, start_time=times[0], stop_time=times[-1], output_interval=times[1] - times[0],
        relative_tolerance=TIGHT[kind], record_events=False, **options,
    )  # fmt: skip
    assert len(found) == len(times)
    return found


def error(found, motion) -> float:
    """The largest relative difference of coordinates and speeds, except at instants of events."""
    times = np.array([event.time for event in motion.events])
    apart = np.array([not (np.abs(times - t) < 1e-8).any() for t in motion.times])
    pairs = [(q, values) for q, values in motion.coordinates.items()]
    pairs += [(f"{q}'", values) for q, values in motion.speeds.items()]
    return max(np.abs(found[name] - values)[apart].max() / (1e-3 + np.abs(values).max()) for name, values in pairs)


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_impacts(ball, kind):
    """Five impacts, FMI 3.0."""
    assert validate_fmu(str(ball)) == []
    motion = da.gallery("bouncing-ball").simulate(until=3, samples=61, tolerance=1e-11)
    assert len(motion.events) >= 5
    assert error(simulated(ball, kind, motion), motion) < 1e-8


def test_at_rest(ball):
    """The bounces end and the ball lies: its contact is closed and carries its weight."""
    motion = da.gallery("bouncing-ball").simulate(samples=51)
    for kind in ("CoSimulation", "ModelExchange"):
        found = simulated(ball, kind, motion, output=["z", "mode.floor", "lambda.floor"])
        assert found["mode.floor"][-1] == 1
        assert abs(found["z"][-1]) < 1e-9
        assert found["lambda.floor"][-1] == pytest.approx(motion.multipliers["floor"][-1], rel=1e-9)


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_inputs_and_outputs(machine, kind):
    """Inputs, parameters and start values from outside; definitions, outputs and energies as the engine has them."""
    assert validate_fmu(str(machine)) == []
    motion = pushed(2).changed({"m": 3, "rebound": 0.5, "z": 50}).simulate(until=1, samples=41, tolerance=1e-11)
    start = {"m": 3, "rebound": 0.5, "z": 0.5, "push": 2}
    names = ["x", "x'", "z", "z'", "square", "pull", "energy.kinetic", "energy.potential", "lag"]
    found = simulated(machine, kind, motion, start_values=start, output=names)
    assert error(found, motion) < 1e-8
    assert np.abs(found["square"] - motion.definitions["square"]).max() < 1e-8
    assert np.abs(found["pull"] - motion.outputs["pull"]).max() < 1e-7
    assert np.abs(found["lag"] - motion["lag"]).max() < 1e-8
    assert np.abs(found["energy.kinetic"] - motion.energy["kinetic"]).max() < 1e-7


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_kinks_and_controllers(controlled, kind):
    """Kinks are events, and a controller computes at its instants, between impacts."""
    assert validate_fmu(str(controlled)) == []
    motion = driven().simulate(until=2.4, samples=50, tolerance=1e-12)  # not at an instant of the controller
    assert {event.kind for event in motion.events} >= {"impact", "kink"}
    found = simulated(controlled, kind, motion)
    assert error(found, motion) < 1e-8
    assert np.abs(found["push"] - motion["push"]).max() < 1e-8


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_an_input_holds_what_is_set(controlled, kind):
    """Its data are no longer used."""
    motion = driven(tow={"value": 0.2}).simulate(until=1, samples=22, tolerance=1e-12)
    found = simulated(controlled, kind, motion, start_values={"tow": 0.2}, output=["x", "tow"])
    assert (found["tow"] == 0.2).all()
    assert np.abs(found["x"] - motion.coordinates["x"]).max() < 1e-8


def test_limits_of_an_input(controlled):
    """An input beyond its limits counts as the limit, as in the model."""
    motion = driven().changed({"wind": 5}).simulate(until=0.5, samples=11, tolerance=1e-12)
    found = simulated(controlled, "CoSimulation", motion, start_values={"wind": 5.0}, output=["x", "wind"])
    assert (found["wind"] == 2).all()
    assert np.abs(found["x"] - motion.coordinates["x"]).max() < 1e-8


def test_an_event_ends_the_motion(machine):
    motion = pushed().simulate(until=5)
    assert motion.status == "stopped"
    for kind in ("CoSimulation", "ModelExchange"):
        found = fmpy.simulate_fmu(str(machine), fmi_type=kind, stop_time=5, output_interval=0.01, output=["x"])
        assert found["time"][-1] == pytest.approx(motion.times[-1], abs=0.011)
        assert found["x"][-1] == pytest.approx(4, abs=0.05)


@pytest.fixture
def instance(machine, folder):
    """The FMU of the pushed ball at its start, for co-simulation."""
    description = fmpy.read_model_description(str(machine))
    slave = FMU2Slave(
        guid=description.guid, unzipDirectory=fmpy.extract(str(machine), str(machine.parent / "unpacked")),
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    yield slave, {variable.name: variable.valueReference for variable in description.modelVariables}
    slave.freeInstance()


def test_directional_derivatives(instance):
    """m x'' = push − 0.1 x'³: ∂x''/∂x' = −0.3 x'²/m, ∂x''/∂push = 1/m, ∂x''/∂m = −x''/m, ∂square/∂x = 2 x."""
    slave, at = instance
    x, v, m = 0.1, 0.2, 2.0
    a = (3 - 0.1 * v**3) / m
    expected = {"x'": -0.3 * v**2 / m, "push": 1 / m, "m": -a / m, "x": 0.0}
    for name, value in expected.items():
        (found,) = slave.getDirectionalDerivative([at["x''"]], [at[name]], [1.0])
        assert found == pytest.approx(value, abs=1e-11)
    found = slave.getDirectionalDerivative([at["square"], at["x''"]], [at["x"], at["x'"]], [2.0, 1.0])
    assert found == pytest.approx([4 * x, -0.3 * v**2 / m], abs=1e-11)
    assert slave.getReal([at["x''"]])[0] == pytest.approx(a, rel=1e-14)  # and nothing has changed


def test_state_is_kept(instance):
    """A motion continues from a saved state as before, also from its bytes."""
    slave, at = instance
    names = [at["x"], at["z"], at["z'"]]
    slave.doStep(0.0, 0.9)
    state = slave.getFMUState()
    data = slave.serializeFMUState(state)
    here = slave.getReal(names)
    slave.doStep(0.9, 0.4)
    there = slave.getReal(names)
    assert there[1] != here[1]
    slave.setFMUState(state)
    assert slave.getReal(names) == here
    slave.doStep(0.9, 0.4)
    assert slave.getReal(names) == pytest.approx(there, abs=1e-9)
    slave.freeFMUState(state)
    again = slave.deserializeFMUState(data)
    slave.setFMUState(again)
    assert slave.getReal(names) == here
    slave.freeFMUState(again)


def test_names_units_and_sentences(machine, ball, tmp_path):
    """The description has names, units and texts of the model; a note lists what an FMU cannot carry."""
    description = fmpy.read_model_description(str(machine))
    variables = {variable.name: variable for variable in description.modelVariables}
    assert description.modelName == "Pushed & <bouncing>"
    assert variables["m"].description == "mass of the ball" and variables["m"].unit == "kg"
    assert variables["z"].unit == "m" and variables["z"].displayUnit == "cm" and float(variables["z"].start) == 1.0
    assert variables["push"].causality == "input" and variables["z''"].derivative is variables["z'"]
    with zipfile.ZipFile(ball) as archive:
        assert "a contact whose bounces die out" in archive.read("documentation/notes.txt").decode()
        assert "sources/ball.cpp" in archive.namelist()


def test_same_source(folder, machine):
    """The same model gives the same source and the same description."""
    with zipfile.ZipFile(machine) as archive:
        found = taken(pushed().record, "machine")
        assert archive.read("sources/machine.cpp").decode() == source(found, 2)
        assert archive.read("modelDescription.xml").decode() == model_description(found, 2, token(found))
    assert source(taken(pushed(4).record, "machine"), 2) != source(found, 2)


def test_same_bytes(ball, tmp_path):
    files, notes = export(da.gallery("bouncing-ball").record, "fmu", tmp_path / "ball.fmu", what="fmi3")
    assert files[0].read_bytes() == ball.read_bytes()
    assert any("accumulation" in note for note in notes)


OWN = shells.own_platform()
needs_shells = pytest.mark.skipif(OWN is None, reason="FMI has no name for this platform")


@needs_shells
def test_shells_are_whole(monkeypatch, tmp_path):
    """They are there, of these sources (else run make); a damaged or older one is not used."""
    whole = shells.shell(2, OWN)
    assert whole is not None and shells.shell(3, OWN) is not None
    assert shells.shell(2, OWN, tmp_path) is None
    file = tmp_path / shells.shell_file(2, OWN).name
    packed_shell = shells.shell_file(2, OWN).read_bytes()
    file.write_bytes(packed_shell)
    assert shells.shell(2, OWN, tmp_path) == whole
    other = bytearray(packed_shell)
    other[5000] ^= 1
    for damaged in (packed_shell[:-1000], bytes(other), b""):
        file.write_bytes(damaged)
        assert shells.shell(2, OWN, tmp_path) is None
    file.write_bytes(packed_shell)
    monkeypatch.setattr(shells, "CALLED", ["sin"])
    assert shells.shell(2, OWN, tmp_path) is None


@needs_shells
def test_binaries_of_several_platforms(monkeypatch, tmp_path):
    """Every platform with a shell has its binary, with the machine code of its processor; FMI 2.0 has no arm64."""
    ball = da.gallery("bouncing-ball")
    monkeypatch.setattr(fmu, "shell", lambda version, platform: shells.shell(version, OWN))
    monkeypatch.setattr(fmu, "shell_file", lambda version, platform: shells.shell_file(version, OWN))
    monkeypatch.setattr(fmu, "signed", lambda library: library)
    for version, count in ((2, 3), (3, 6)):
        with zipfile.ZipFile(ball.export("fmu", tmp_path / "ball.fmu", what=f"fmi{version}")[0]) as files:
            held = {name: files.read(name) for name in files.namelist() if name.startswith("binaries/")}
        assert len(held) == count and len(set(held.values())) == count // 3
        assert len({len(library) for library in held.values()}) == 1
    assert "binaries/aarch64-windows/ball.dll" in held


def test_machine_code_of_another_processor():
    """Code for arm64 has its calls and its constants where the instructions look for them."""
    sine = program([symengine.Symbol("x")], [symengine.sympify("tan(x) + 0.1*x")])
    texts = flat.texts_of({"f": sine}, ["f"])
    piece = flat.flat_programs(texts, "aarch64")
    assert {call.name for call in piece.calls} == {"tan"} and all(call.kind in flat.BRANCHES for call in piece.calls)
    before = bytes(piece.code)
    after = piece.resolve({"tan": -64})
    (call, *_) = piece.calls
    (word,) = struct.unpack_from("<I", after, call.place)
    assert before != after and word >> 26 in (0b100101, 0b000101)  # bl, b
    distance = (word & 0x3FFFFFF) - (1 << 26 if word & 1 << 25 else 0)
    assert call.place + 4 * distance == -64
    with pytest.raises(flat.NotFlat):
        flat.flat_programs(texts, "aarch64").resolve({})


def test_signature():
    """A library with one load command, a signature whose directory has hashes of two pages; no signature, no change."""
    body = bytes(range(256)) * 20  # 5,120 bytes: a page and a part of one
    size = 32 + 16
    head = struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 1, 16, 0, 0)
    directory = struct.pack(">9I4B", 0xFADE0C02, 40 + 64, 0x20400, 2, 40, 0, 0, 2, size + len(body), 32, 2, 0, 12)
    blobs = struct.pack(">5I", 0xFADE0CC0, 20 + 40 + 64, 1, 0, 20) + directory + bytes(64)
    library = head + struct.pack("<4I", 0x1D, 16, size + len(body), len(blobs)) + body + blobs
    code = library[: size + len(body)]
    hashes = b"".join(sha256(part).digest() for part in (code[:4096], code[4096:]))
    assert signature.signed(library) == library[:-64] + hashes
    assert signature.signed(signature.signed(library)) == signature.signed(library)
    plain = struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 0, 0, 0, 0) + body
    assert signature.signed(plain) == plain


@needs_shells
def test_no_compiler_is_needed(tmp_path, monkeypatch):
    """All functions of C, without a compiler. A model beyond the hole needs one."""
    monkeypatch.setattr(fmu, "compilers", list)
    model = da.Model("Functions")
    model.coordinate("x", 0.3, speed=0.7)
    model.energy(kinetic="x'^2/2", potential="exp(tanh(x))*log(2 + x)/100")
    angles = {
        f"{name}_of": f"{name}(x'/3)" for name in "sin cos tan asin acos atan sinh cosh tanh exp log floor".split()
    }
    for name, text in (angles | {"power": "(2 + x)^x'", "turn": "atan2(x, x')", "far": "sin(1e7*x)"}).items():
        model.define(name, text)
    path = model.export("fmu", tmp_path / "functions.fmu", what="fmi3")[0]
    assert validate_fmu(str(path)) == []
    motion = model.simulate(until=0.5, samples=2)
    found = simulated(path, "CoSimulation", motion, output=["x", "x'", *motion.definitions])
    for name, values in motion.definitions.items():
        assert found[name][0] == pytest.approx(values[0], rel=4e-16, abs=0)
    assert error(found, motion) < 1e-9
    monkeypatch.setattr(packed, "HOLE", 2000)
    _, notes = export(model.record, "fmu", tmp_path / "large.fmu")
    assert any("sources but no binary" in note for note in notes)


def test_refusals(tmp_path):
    with pytest.raises(ModelError, match="cannot hold 'slopes'; it can hold fmi2, fmi3"):
        pushed().export("fmu", tmp_path / "machine.fmu", what="slopes")
    assert not list(tmp_path.iterdir())


ENDS = {  # before
    "tippe-top": 0.5,  # its angles come near a singularity, where CVode needs tiny steps
    "n-four-bar": 0.7,  # branches of the mechanism cross
}


@pytest.mark.slow
@pytest.mark.parametrize("version", ["fmi2", "fmi3"])
@pytest.mark.parametrize("name", da.gallery())
def test_whole_gallery(name, version, folder):
    """Every model: valid, and the engine's motion in co-simulation, and by CVode in model exchange."""
    model = da.gallery(name)
    path = model.export("fmu", folder / "model.fmu", what=version)[0]
    assert validate_fmu(str(path)) == []
    end = min(ENDS.get(name, 2.0), float(model.record.simulation.duration or 1.0))
    motion = model.simulate(until=end, samples=401, tolerance=1e-12)
    for kind in TIGHT:
        assert error(simulated(path, kind, motion), motion) < 1e-8
