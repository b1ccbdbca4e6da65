"""The lab as a server: its answers; a changed value needs no derivation and no compilation."""

import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
from base64 import b64decode
from dataclasses import replace
from html import unescape
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.collection import text
from dalembert.errors import ModelError
from dalembert.lab.serve import Options, _greeted, _way_in, serve
from dalembert.model.read import read_text
from dalembert.model.values import initial_values
from lab_server import running

DISK = text("rolling-disk")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    with running("--folder", str(folder), "--workers", "2", "--seconds", "20") as lab:
        yield replace(lab, folder=folder)


def test_the_page_and_all_that_it_loads_are_served(lab):
    status, body, headers = lab.ask("/", headers=lab.visitor)
    assert status == 200 and headers["content-type"].startswith("text/html")
    names = {part.split('"')[0] for part in body.decode().split('"/static/')[1:]}
    assert "lab/lab.js" in names and "view/player.js" in names and "view/three.js" in names
    for name in names:
        assert lab.ask(f"/static/{name}", headers={})[0] == 200
    assert (
        "script-src 'self' 'wasm-unsafe-eval';" in headers["content-security-policy"]
        and headers["x-frame-options"] == "DENY"
    )
    assert "access-control-allow-origin" not in headers


def test_the_first_motion_is_asked_for_before_anything_else_is_loaded(lab):
    """A browser fetches in the order of the page, a few files at a time: the large libraries come later."""
    page = lab.ask("/", headers=lab.visitor)[1].decode()
    loaded = re.findall(r'<(?:script|link)[^>]*(?:src|href)="/static/([^"]*\.(?:js|css))"', page)
    assert set(loaded[:3]) == {"lab/ahead.js", "lab/server.js", "lab/drafts.js"}
    own = Path(str(files("dalembert.lab") / "static"))
    imported = {
        name: set(re.findall(r'from "\./(.*)"', (own / f"{name}.js").read_text()))
        for name in ("ahead", "server", "drafts")
    }
    assert set.union(*imported.values()) <= {"server.js", "drafts.js"}  # else the browser would look for more
    assert len(loaded) == len(set(loaded))


def test_a_motion_is_that_of_the_library(lab):
    settings = {"R": 0.6, "lean'": -0.1}
    found = lab.result("motion", {"text": DISK, "settings": settings, "until": 2, "samples": 41, "data": True})
    motion = da.gallery("rolling-disk").simulate(until=2, samples=41, settings=settings)
    for name in motion.coordinates:
        values = np.frombuffer(b64decode(found["data"]["columns"][name]), "<f8")
        np.testing.assert_allclose(values, motion[name], rtol=1e-7, atol=1e-7)
    assert found["status"] == "finished" and found["scene"]["bodies"][0]["name"] == "disk"


@pytest.mark.parametrize("name", ["rolling-disk", "bouncing-ball", "whipple-bicycle", "double-pendulum", "segway"])
def test_another_value_derives_and_compiles_nothing(lab, name):
    model = text(name)
    parameter, value = next(iter(initial_values(da.gallery(name).record).parameters.items()))
    ask = {"text": model, "until": 0.3, "client": "slider", "lane": "a"}
    first = lab.result("motion", ask)["work"]
    later = [
        lab.result("motion", {**ask, "settings": {parameter: value * factor}})["work"] for factor in (1.01, 1.02, 1.03)
    ]
    assert first["derived"] > 0 and first["compiled"] > 0
    assert later == [first] * 3


def test_the_first_motion_of_the_page_derives_nothing():
    """A worker has it ready; the second model is derived once, and no formula is loaded before one is asked for."""
    with running("--workers", "1") as lab:
        page = lab.ask("/", headers=lab.visitor)[1].decode()
        first = json.loads(unescape(re.search('name="lab-start" content="([^"]*)"', page)[1]))["first"]["text"]
        began = lab.result("motion", {"text": first})["work"]
        assert began["derived"] == 1
        assert lab.result("motion", {"text": first, "settings": {"m": 2}})["work"] == began
        assert lab.result("motion", {"text": text("bouncing-ball")})["work"]["derived"] == 2


def test_faults_come_with_their_lines(lab):
    broken = DISK.replace('mass = "m"', 'mass = "mm"')
    found = lab.result("check", {"text": broken})
    line = broken.split("\n").index('mass = "mm"') + 1
    assert not found["ok"] and [(f["line"], f["start"], f["end"]) for f in found["faults"]] == [(line, 9, 11)]
    status, answer = lab.post("/api/motion", {"text": broken})
    assert status == 422 and answer["faults"] == found["faults"]


def test_equations_and_their_derivation(lab):
    found = lab.result("derive", {"text": text("chaplygin-sleigh"), "method": "maggi"})
    assert found["method"] == "maggi" and any(s["title"] == "Equations of motion" for s in found["sections"])
    rows = [row for section in found["sections"] for line in section["lines"] for row in line["math"]]
    assert len(rows) > 5 and all(row.startswith("<math") for row in rows)
    steps = lab.result("steps", {"text": text("chaplygin-sleigh"), "method": "maggi"})["steps"]
    assert len(steps) > 2 and any(step["law"] for step in steps)


def test_a_comparison_and_an_analysis(lab):
    found = lab.result("compare", {"text": text("knife-edge"), "methods": ["chetaev", "kane", "vakonomic"]})
    assert [set(group) for group in found["groups"]] == [{"kane", "chetaev"}, {"vakonomic"}]
    assert "parts" in lab.result("analyze", {"text": text("knife-edge")})


def test_a_root_locus_and_a_sweep(lab):
    """Over one quantity and over two, with the same numbers as the library."""
    axis = {"name": "l", "from": 1.0, "to": 2.0, "count": 3}
    ask = {"text": text("simple-pendulum"), "settings": {"theta": 0.0}, "vary": [axis]}
    locus = lab.result("vary", {**ask, "study": "locus"})
    found = da.gallery("simple-pendulum").root_locus("l", [1, 1.5, 2], settings={"theta": 0.0})
    column = locus["head"].index("eigenvalue.1.im")
    assert [abs(row[column]) for row in locus["rows"]] == pytest.approx(abs(found.eigenvalues[:, 0].imag))
    assert locus["svg"].startswith("<?xml") and len(locus["csv"].splitlines()) == 4
    second = {"name": "theta", "from": 0.0, "to": 1.0, "count": 4}
    swept = lab.result(
        "vary", {**ask, "study": "sweep", "vary": [axis, second], "records": ["max theta"], "until": 1.0}
    )
    model = da.gallery("simple-pendulum")
    kept = model.sweep({"l": [1, 1.5, 2], "theta": np.linspace(0, 1, 4)}, record="max theta", until=1.0)
    assert [row[swept["head"].index("max theta")] for row in swept["rows"]] == kept["max theta"].values.ravel().tolist()
    status, answer = lab.post("/api/vary", {**ask, "study": "sweep", "vary": [{**axis, "count": 100_000}]})
    assert "at most" in answer["error"], status


@pytest.mark.parametrize("kind", ["csv", "html", "tex", "toml"])
def test_every_file_can_be_had(lab, kind):
    ask = {"text": text("chaplygin-sleigh"), "kind": kind, "settings": {"m": 2.5}}
    if kind in ("csv", "html"):
        ask["samples"] = 11
    status, body, headers = lab.ask("/api/file", json.dumps(ask).encode())
    assert status == 200 and "attachment" in headers["content-disposition"]
    if kind == "csv":
        assert len(body.splitlines()) == 12
    elif kind == "toml":
        assert initial_values(read_text(body.decode())).parameters["m"] == 2.5
    else:
        assert len(body) > 500


def test_pictures_of_the_gallery(lab):
    listed = json.loads(lab.ask("/api/gallery")[1])
    assert {entry["name"] for entry in listed} == set(da.gallery())
    for name in ("double-pendulum", "heisenberg"):  # with bodies and without
        status, body, headers = lab.ask(f"/api/picture/{name}")
        assert status == 200 and headers["content-type"] == "application/json" and len(body) < 100_000
        scene = json.loads(body)
        assert [*scene["bodies"], *scene["drawings"]] and not scene["panels"]


def test_the_folder_is_opened_and_saved_by_bare_names(lab):
    assert lab.post("/api/save", {"name": "mine.toml", "text": DISK}) == (200, {"name": "mine.toml"})
    assert lab.post("/api/open", {"name": "mine.toml"})[1]["text"] == DISK
    status, answer = lab.post("/api/save", {"name": "mine.toml", "text": "x"})
    assert status == 409 and answer["exists"]
    assert lab.post("/api/save", {"name": "mine.toml", "text": "x = 1", "replace": True})[0] == 200
    assert "mine.toml" in json.loads(lab.ask("/api/folder")[1])["names"]


def test_a_mesh_in_the_folder_is_drawn_and_others_are_not(lab):
    (lab.folder / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    model = text("simple-pendulum").replace("{ ball = 0.08 }", '{ mesh = "part.obj", size = 0.2 }')
    found = lab.result("motion", {"text": model, "until": 0.1, "samples": 3})
    assert found["scene"]["bodies"][0]["shapes"][0]["kind"] == "mesh"
    for name in ("../part.obj", "/etc/passwd", "gone.stl"):
        faults = lab.result("check", {"text": model.replace("part.obj", name)})["faults"]
        assert len(faults) == 1 and faults[0]["line"] == model.split("\n").index(
            next(line for line in model.split("\n") if "mesh" in line)
        ) + 1  # fmt: skip


def test_a_port_that_is_taken_is_said(lab):
    call = [sys.executable, "-m", "dalembert", "lab", "--no-browser", "--port", str(lab.port)]
    found = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2 and f"port {lab.port} is in use" in found.stderr and "Traceback" not in found.stderr


def test_the_end_is_clean():
    with running("--workers", "1") as lab:
        lab.process.send_signal(signal.SIGINT)
        _, err = lab.process.communicate(timeout=20)
    assert lab.process.returncode == 0 and err.strip() == "the lab is closed."
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", lab.port)) != 0


def test_a_folder_that_is_none_is_refused():
    gone = Path(tempfile.gettempdir()) / "no" / "such" / "folder"
    call = [sys.executable, "-m", "dalembert", "lab", "--no-browser", "--port", "0", "--folder", str(gone)]
    found = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2 and "there is no such folder" in found.stderr


def test_another_address_than_loopback_is_warned_of(capsys):
    with pytest.raises(ModelError, match="means every address"):
        serve(Options(host="0.0.0.0"))
    with _greeted(Options(host="192.0.2.1", browser=False), 8642, "secret"):
        pass
    assert "can be reached from other machines" in capsys.readouterr().err
    for host in ("127.0.0.1", "localhost", "::1"):
        with _greeted(Options(host=host, browser=False), 8642, "secret"):
            pass
    assert capsys.readouterr().err == ""


def test_the_browser_is_led_in_without_its_command_line_telling(tmp_path):
    way = _way_in(tmp_path, "http://127.0.0.1:1/?token=secret")
    assert way.stat().st_mode & 0o077 == 0
    assert "url=http://127.0.0.1:1/?token=secret" in way.read_text()
