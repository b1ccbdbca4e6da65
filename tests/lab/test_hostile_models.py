"""Hostile models: markup in texts, files outside their folder, expressions that grow without end."""

import json
import time
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model.read import read_text
from lab_server import running

EVIL = "<img src=x onerror=alert(1)></script></title><svg onload=alert(2)>&quot;'\\input{/etc/passwd}$^^5c%"
MODEL = """
title = {evil}
reference = {evil}
[parameters]
m = {{ value = 1, unit = "kg", about = {evil} }}
[coordinates]
x = {{ initial = 0, speed = 1, about = {evil} }}
y = 0
[bodies.ball]
mass = "m"
position = ["x", "y", 0]
shapes = [{{ ball = 0.1 }}, {{ text = "<b>x</b>", size = 0.1 }}]
[constraints]
line = "y' = 0.5*x'"
[events.half]
when = "x - 0.5"
[simulation]
duration = 1
samples = 5
"""


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    file = tmp_path_factory.mktemp("evil") / "evil.toml"
    file.write_text(MODEL.format(evil=json.dumps(EVIL)))
    return da.load(file)


class Elements(HTMLParser):
    """The tags and texts that a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.handlers = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]


@pytest.mark.parametrize("kind", ["page", "derivation", "notebook"])
def test_texts_stay_texts_in_pages(evil, kind):
    made = {
        "page": lambda: evil.simulate().animate().html(),
        "derivation": lambda: evil.derive().html(steps=True),
        "notebook": lambda: evil._repr_html_(),
    }[kind]()
    found = Elements(made)
    assert "img" not in found.tags and "svg" not in found.tags and not found.handlers
    assert "&lt;img src=x" in made or "\\u003cimg src=x" in made  # it is shown, as text


def test_texts_stay_texts_in_pictures_and_latex(evil, tmp_path):
    evil.simulate().save(tmp_path / "motion.svg")
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(tmp_path / "motion.svg").iter()}
    assert tags.isdisjoint({"script", "img", "image", "foreignObject"})
    written = evil.derive().latex(steps=True)
    assert "\\input{" not in written and "^^5c" not in written.replace("\\^{}\\^{}5c", "")


@pytest.mark.parametrize("place", ["../outside.{}", "/etc/passwd", "link.{}", "folder/../../outside.{}", "~/x.{}"])
def test_no_file_but_those_beside_the_model(tmp_path, place):
    """Meshes and data: other folders are not read, not even through a link, and nothing of them is shown."""
    inside = tmp_path / "models"
    (inside / "folder").mkdir(parents=True)
    for ending in ("csv", "stl"):
        (tmp_path / f"outside.{ending}").write_text("t,secret\n0,12345\n1,2\n")
        (inside / f"link.{ending}").symlink_to(tmp_path / f"outside.{ending}")
    mesh = f'[bodies.a]\nmass = 1\nposition = [0, 0, 0]\nshape = {{ mesh = "{place.format("stl")}" }}\n'
    data = f'[inputs]\nu = {{ signal = "{place.format("csv")}", column = "secret", time = "t" }}\n'
    for text in (mesh, data):
        with pytest.raises(ModelError) as refused:
            read_text(f"[coordinates]\nq = 0\n{text}", folder=inside)
        assert "12345" not in str(refused.value) and "root:" not in str(refused.value)


def _deep(open_, close, count, inner="1"):
    return open_ * count + inner + close * count


GROWING = "\n".join(f'd{k + 1} = "d{k}*d{k} + d{k}"' for k in range(60))
BOMBS = {
    "parentheses": f'[definitions]\na = "{_deep("(", ")", 20_000)}"',
    "signs": f'[definitions]\na = "{"-" * 50_000}1"',
    "functions": f'[definitions]\na = "{_deep("sin(", ")", 5_000)}"',
    "powers": '[definitions]\na = "9^9^9^9^9^9"\nb = "2^(10^9)"',
    "digits": f'[definitions]\na = "{"7" * 200_000}"',
    "primes": f"[coordinates]\nx = 0\n[constraints]\nc = \"x{chr(39) * 5_000} = 0\"",
    "arrays": f"a = {_deep('[', ']', 5_000)}",
    "inline tables": f"a = {_deep('{ a = ', ' }', 3_000)}",
    "dotted keys": f"{'a.' * 20_000}a = 1",
    "names": f'[definitions]\n{"x" * 100_000} = "1"',
    "keys": "[parameters]\n" + "\n".join(f"p{k} = 1" for k in range(20_000)),
    "doubling": f'[coordinates]\nx = 1\n[definitions]\nd0 = "x"\n{GROWING}\n[energy]\nkinetic = "x\'^2*d60"',
}  # fmt: skip


@pytest.fixture(scope="module")
def lab():
    with running("--workers", "1", "--seconds", "8") as lab:
        yield lab


@pytest.mark.parametrize("name", BOMBS)
def test_a_text_that_grows_is_refused_or_ended(lab, name):
    """For any text the answer is a fault or a sentence within the limit, and the lab continues."""
    began = time.monotonic()
    status, answer = lab.post("/api/check", {"text": BOMBS[name]})
    assert status == 200 and ("error" in answer or isinstance(answer["result"]["ok"], bool)), answer
    assert time.monotonic() - began < 30
    assert lab.post("/api/check", {"text": "[coordinates]\nx = 0\n"})[0] == 200


def test_many_and_long_headers(lab):
    own = {"x-lab-token": lab.token, "content-type": "application/json"}
    for headers in ({f"x-{k}": "a" for k in range(5_000)}, {"x-long": "a" * 1_000_000}):
        try:
            status = lab.ask("/api/check", b"{}", headers={**own, **headers})[0]
        except OSError:  # the server closed the connection
            continue
        assert 400 <= status < 500
    assert lab.ask("/", headers=lab.visitor)[0] == 200
